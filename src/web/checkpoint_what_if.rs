//! What-ifs that live between calls: they are advanced in slices, so that a worker can report progress
//! and be told to stop, and what is known so far can be asked for at any time.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::wire;
use crate::checkpoint::{WhatIf, WhatIfParams};

/// An analysis while it goes on.
#[wasm_bindgen]
pub struct CheckpointWhatIf {
    what_if: WhatIf,
}

#[wasm_bindgen]
impl CheckpointWhatIf {
    /// An analysis at its start; free it when it is no longer needed.
    #[wasm_bindgen(unchecked_return_type = "Answer<CheckpointWhatIf>")]
    pub fn create(
        #[wasm_bindgen(unchecked_param_type = "WhatIfParams")] params: JsValue,
    ) -> JsValue {
        let what_if = wire::parse(&params)
            .and_then(|params: WhatIfParams| WhatIf::new(params).map_err(Into::into));
        wire::object(what_if.map(|what_if| Self { what_if }))
    }

    /// Works through at most so many events more.
    #[wasm_bindgen(unchecked_return_type = "WhatIfProgress")]
    pub fn advance(&mut self, events: u32) -> JsValue {
        wire::value(&self.what_if.advance(events.into()))
    }

    /// What is known so far.
    #[wasm_bindgen(unchecked_return_type = "Answer<WhatIfReport>")]
    pub fn report(&self) -> JsValue {
        wire::tell(Ok(self.what_if.answer()))
    }
}
