//! The event-time module: whole streams, generated here or read from a file chunk by chunk. The
//! records never cross to JavaScript; what does are counts, drawings, and the rows in sight.

use js_sys::{Array, Float64Array};
use serde::Deserialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::event_run::{columns_of, row_of, samples_of, set};
use super::wire::{self, plain};
use crate::charts::bound_lines;
use crate::charts::open_lines::{self, Over};
use crate::charts::theme::Theme;
use crate::event_time::kept::KeptBytes;
use crate::event_time::whole::{Figures, SideParams, StreamWhyParams, Whole, WholeParams};
use crate::finding::{Derivation, Problem};
use crate::stream::BoundParams;
use crate::stream::sniff;
use crate::units::Bytes;

/// How should a file be read that begins with these bytes?
#[wasm_bindgen(js_name = sniffRecords, unchecked_return_type = "Answer<SniffReport>")]
pub fn sniff_records(head: &[u8]) -> JsValue {
    wire::tell(Ok(sniff(head)))
}

/// How a drawing of a stream is to look.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DrawParams {
    theme: Theme,
    width: u32,
}

/// The same for the choice of a bound, with the bound that is chosen [ms].
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DrawBoundParams {
    bound_ms: i64,
    theme: Theme,
    width: u32,
}

/// A whole stream: push a file and finish it, or generate; then advance in slices.
#[wasm_bindgen]
pub struct EventStream {
    whole: Whole,
}

#[wasm_bindgen]
impl EventStream {
    /// A stream at its start; free it when it is no longer needed.
    #[wasm_bindgen(unchecked_return_type = "Answer<EventStream>")]
    pub fn create(
        #[wasm_bindgen(unchecked_param_type = "WholeParams")] params: JsValue,
    ) -> JsValue {
        let whole = wire::parse(&params).and_then(|params: WholeParams| Ok(Whole::new(&params)?));
        wire::object(whole.map(|whole| Self { whole }))
    }

    /// Takes in the next bytes of the file.
    #[wasm_bindgen(unchecked_return_type = "Answer<ReadProgress>")]
    pub fn push(&mut self, chunk: &[u8]) -> JsValue {
        wire::tell(self.whole.push(chunk).map(plain).map_err(Problem::from))
    }

    /// The end of the file.
    #[wasm_bindgen(unchecked_return_type = "Answer<ReadReport>")]
    pub fn finish(&mut self) -> JsValue {
        wire::tell(self.whole.finish().map_err(Problem::from))
    }

    /// Works through at most so many records more.
    #[wasm_bindgen(unchecked_return_type = "Answer<WholeProgress>")]
    pub fn advance(&mut self, records: u32) -> JsValue {
        wire::tell(self.whole.advance(records as usize).map(plain).map_err(Problem::from))
    }

    /// What became of the records so far.
    #[wasm_bindgen(unchecked_return_type = "Answer<WholeReport>")]
    pub fn report(&self) -> JsValue {
        wire::tell(Ok(self.whole.report()))
    }

    /// Which bound does the stream need, and what does it cost?
    #[wasm_bindgen(unchecked_return_type = "Answer<StreamBound>")]
    pub fn bound(
        &self,
        #[wasm_bindgen(unchecked_param_type = "BoundParams")] params: JsValue,
    ) -> JsValue {
        let answer = wire::parse(&params)
            .and_then(|params: BoundParams| self.whole.bound(&params).map_err(Problem::from));
        wire::tell(answer)
    }

    /// Who holds the watermark after so many records, and what does the next firing need?
    #[wasm_bindgen(unchecked_return_type = "Answer<StreamWhy>")]
    pub fn why(
        &self,
        #[wasm_bindgen(unchecked_param_type = "StreamWhyParams")] params: JsValue,
    ) -> JsValue {
        let answer = wire::parse(&params).map(|params: StreamWhyParams| self.whole.why(&params));
        wire::tell(answer)
    }

    /// Late or dropped records, computed again.
    #[wasm_bindgen(unchecked_return_type = "Answer<SideRecord[]>")]
    pub fn side(
        &self,
        #[wasm_bindgen(unchecked_param_type = "SideParams")] params: JsValue,
    ) -> JsValue {
        let answer = wire::parse(&params).map(|params: SideParams| plain(self.whole.side(&params)));
        wire::tell(answer)
    }

    /// The same as CSV, a piece at a time.
    #[wasm_bindgen(unchecked_return_type = "Answer<SideText>")]
    pub fn csv(
        &self,
        #[wasm_bindgen(unchecked_param_type = "SideParams")] params: JsValue,
    ) -> JsValue {
        let answer = wire::parse(&params).map(|params: SideParams| self.whole.side_csv(&params));
        wire::tell(answer)
    }

    /// What is kept of the stream to compare others with it.
    #[wasm_bindgen(unchecked_return_type = "Answer<StreamFigures>")]
    pub fn figures(&self) -> JsValue {
        let value = self.whole.figures();
        wire::tell(Ok(Derivation { value, findings: Vec::new() }))
    }

    /// What differs from a pinned stream?
    #[wasm_bindgen(unchecked_return_type = "Answer<StreamComparison>")]
    pub fn compare(
        &self,
        #[wasm_bindgen(unchecked_param_type = "StreamFigures")] a: JsValue,
    ) -> JsValue {
        wire::tell(wire::parse(&a).map(|a: Figures| self.whole.compare(&a)))
    }

    /// Draw the choice of a bound.
    #[wasm_bindgen(unchecked_return_type = "Answer<BoundChart>")]
    pub fn curve(
        &self,
        #[wasm_bindgen(unchecked_param_type = "DrawBoundParams")] params: JsValue,
    ) -> JsValue {
        wire::tell(wire::parse(&params).and_then(|params: DrawBoundParams| {
            let DrawBoundParams { bound_ms, theme, width } = params;
            let asked =
                BoundParams { completeness: Vec::new(), bound_ms: Some(bound_ms), top_keys: 0 };
            let answer = self.whole.bound(&asked)?;
            let value = bound_lines::draw(&answer.value.report, theme, width)?;
            Ok(Derivation { value, findings: Vec::new() })
        }))
    }

    /// Draw the open state over time.
    #[wasm_bindgen(unchecked_return_type = "Answer<Chart>")]
    pub fn open(
        &self,
        #[wasm_bindgen(unchecked_param_type = "DrawOpenParams")] params: JsValue,
    ) -> JsValue {
        wire::tell(wire::parse(&params).and_then(|params: DrawParams| {
            let value = open_lines::draw(
                self.whole.samples(),
                self.whole.entries_max(),
                Over::Records,
                params.theme,
                params.width,
            )?;
            Ok(Derivation { value, findings: Vec::new() })
        }))
    }

    /// Draw the bytes that the operator keeps over time.
    #[wasm_bindgen(unchecked_return_type = "Answer<Chart>")]
    pub fn kept(
        &self,
        #[wasm_bindgen(unchecked_param_type = "DrawOpenParams")] params: JsValue,
    ) -> JsValue {
        wire::tell(wire::parse(&params).and_then(|params: DrawParams| {
            let (samples, kept) = (self.whole.samples(), self.whole.kept());
            let predicted = self.whole.kept_predicted();
            let value = open_lines::draw_kept(
                samples,
                &kept,
                predicted,
                Over::Records,
                params.theme,
                params.width,
            )?;
            Ok(Derivation { value, findings: Vec::new() })
        }))
    }

    /// The open state over time, one typed array a column, with the bytes that it takes.
    #[wasm_bindgen(unchecked_return_type = "StreamSamples")]
    pub fn samples(&self) -> JsValue {
        let (samples, kept) = (samples_of(self.whole.samples()), self.whole.kept());
        let column = |of: fn(&KeptBytes) -> Bytes| -> JsValue {
            let bytes: Vec<f64> = kept.iter().map(|it| of(it).get() as f64).collect();
            Float64Array::from(&bytes[..]).into()
        };
        set(&samples, "heap", &column(|it| it.heap));
        set(&samples, "rocksdb", &column(|it| it.rocksdb));
        samples
    }

    /// The results that are kept, one typed array a column.
    #[wasm_bindgen(unchecked_return_type = "RunResults")]
    pub fn results(&self) -> JsValue {
        columns_of(self.whole.results())
    }

    /// The names of keys, in their order.
    #[wasm_bindgen(unchecked_return_type = "string[]")]
    pub fn names(&self, keys: &[u32]) -> JsValue {
        keys.iter().map(|key| JsValue::from(self.whole.key_name(*key))).collect::<Array>().into()
    }

    /// Rows of the log, computed again.
    #[wasm_bindgen(unchecked_return_type = "StreamRow[]")]
    pub fn rows(&self, from: u32, count: u32) -> JsValue {
        let rows = self.whole.rows(from as usize, count as usize);
        let named = rows.iter().map(|it| {
            let object = row_of(&it.row);
            set(&object, "keyName", &it.key_name.as_str().into());
            let partition = it.partition_name.as_deref().map_or(JsValue::NULL, JsValue::from);
            set(&object, "partitionName", &partition);
            object
        });
        named.collect::<Array>().into()
    }
}
