//! The questions about exactly-once delivery into Kafka, in a module of their own: it is fetched when
//! the Exactly-once tool is opened.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::wire::ask;
use crate::transaction;

/// What becomes of each record in this scenario?
#[wasm_bindgen(js_name = playTransactions, unchecked_return_type = "Answer<TransactionReport>")]
pub fn play_transactions(
    #[wasm_bindgen(unchecked_param_type = "PlayParams")] params: JsValue,
) -> JsValue {
    ask(&params, transaction::play_transactions)
}
