//! The questions about exactly-once delivery into Kafka, in a module of their own: it is fetched when
//! the Exactly-once tool is opened.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::wire::{self, ask, plain};
use crate::charts::{timeout_question, transactions_question};
use crate::finding::Problem;
use crate::transaction::{self, Exploration, ExploreParams, lints, read, timeouts};

/// Between which values is the transaction timeout safe?
#[wasm_bindgen(js_name = transactionTimeouts, unchecked_return_type = "Answer<TimeoutReport>")]
pub fn transaction_timeouts(
    #[wasm_bindgen(unchecked_param_type = "TimeoutParams")] params: JsValue,
) -> JsValue {
    ask(&params, timeouts::transaction_timeouts)
}

/// Draw the safe timeouts.
#[wasm_bindgen(js_name = drawTimeouts, unchecked_return_type = "Answer<Chart>")]
pub fn draw_timeouts(
    #[wasm_bindgen(unchecked_param_type = "DrawTimeoutsParams")] params: JsValue,
) -> JsValue {
    ask(&params, timeout_question::draw_timeouts)
}

/// Which settings break exactly-once delivery?
#[wasm_bindgen(js_name = lintTransactions, unchecked_return_type = "Answer<LintReport>")]
pub fn lint_transactions(
    #[wasm_bindgen(unchecked_param_type = "LintParams")] params: JsValue,
) -> JsValue {
    ask(&params, lints::lint_transactions)
}

/// What does this text say about an exactly-once sink?
#[wasm_bindgen(js_name = readTransactionText, unchecked_return_type = "Answer<TransactionText>")]
pub fn read_transaction_text(
    #[wasm_bindgen(unchecked_param_type = "ReadTransactionParams")] params: JsValue,
) -> JsValue {
    ask(&params, read::read_transaction_text)
}

/// What becomes of each record in this scenario?
#[wasm_bindgen(js_name = playTransactions, unchecked_return_type = "Answer<TransactionReport>")]
pub fn play_transactions(
    #[wasm_bindgen(unchecked_param_type = "PlayParams")] params: JsValue,
) -> JsValue {
    ask(&params, transaction::play_transactions)
}

/// Draw what happens to each transaction.
#[wasm_bindgen(js_name = drawTransactions, unchecked_return_type = "Answer<Chart>")]
pub fn draw_transactions(
    #[wasm_bindgen(unchecked_param_type = "DrawTransactionsParams")] params: JsValue,
) -> JsValue {
    ask(&params, transactions_question::draw_transactions)
}

/// Draw a way that a search has found, step by step.
#[wasm_bindgen(js_name = drawWay, unchecked_return_type = "Answer<Chart>")]
pub fn draw_way(
    #[wasm_bindgen(unchecked_param_type = "DrawWayParams")] params: JsValue,
) -> JsValue {
    ask(&params, transactions_question::draw_way)
}

/// All orders of steps and faults: create, advance in slices, ask what is known.
#[wasm_bindgen]
pub struct TransactionSearch {
    search: Exploration,
}

#[wasm_bindgen]
impl TransactionSearch {
    /// A search at its start; free it when it is no longer needed.
    #[wasm_bindgen(unchecked_return_type = "Answer<TransactionSearch>")]
    pub fn create(
        #[wasm_bindgen(unchecked_param_type = "ExploreParams")] params: JsValue,
    ) -> JsValue {
        let search = wire::parse(&params)
            .and_then(|params: ExploreParams| Exploration::new(&params).map_err(Problem::from));
        wire::object(search.map(|search| Self { search }))
    }

    /// Expands at most so many states more.
    #[wasm_bindgen(unchecked_return_type = "Answer<ExploreProgress>")]
    pub fn advance(&mut self, states: u32) -> JsValue {
        wire::tell(Ok(plain(self.search.advance(states))))
    }

    /// What is known so far, with the ways to it.
    #[wasm_bindgen(unchecked_return_type = "Answer<ExploreReport>")]
    pub fn report(&mut self) -> JsValue {
        wire::tell(Ok(plain(self.search.report())))
    }
}
