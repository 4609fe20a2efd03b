// @ts-check
/**
 * The job as code.
 * @import { EventTimeReport, WholeReport } from "../../src/web/types.ts"
 */

import { h } from "../dom.js";
import { codeRow } from "../elements/code-row.js";

export class JobCode {
  #stream = codeRow("DataStream definition");
  #sql = codeRow("SQL definition");
  #noSql = h("p", { class: "quiet" }, "SQL’s window functions do not have this job: they know no allowed lateness, no other trigger and nothing between source and window, and not every window.");
  element = h("section", null, h("h3", null, "The same job in code"), h("h4", null, "DataStream"), this.#stream, h("h4", null, "SQL"), this.#sql, this.#noSql);

  /** @param {EventTimeReport | WholeReport} report */
  show({ dataStream, sql }) {
    this.#stream.text = dataStream;
    this.#sql.hidden = sql === null;
    this.#noSql.hidden = sql !== null;
    this.#sql.text = sql ?? "";
  }
}
