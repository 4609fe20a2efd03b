//! The questions about whole texts, in the module that is fetched with the first paste.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::wire::ask;
use crate::config::{export, files, paste};

/// What does Flink load from this configuration folder?
#[wasm_bindgen(js_name = readConfig, unchecked_return_type = "Answer<ConfigReport>")]
pub fn read_config(
    #[wasm_bindgen(unchecked_param_type = "ConfigFilesParams")] params: JsValue,
) -> JsValue {
    ask(&params, files::read)
}

/// What is this text from the clipboard?
#[wasm_bindgen(js_name = readPaste, unchecked_return_type = "Answer<PasteReport>")]
pub fn read_paste(
    #[wasm_bindgen(unchecked_param_type = "PasteParams")] params: JsValue,
) -> JsValue {
    ask(&params, paste::read_paste)
}

/// How is this configuration written as a file?
#[wasm_bindgen(js_name = exportConfig, unchecked_return_type = "Answer<ExportReport>")]
pub fn export_config(
    #[wasm_bindgen(unchecked_param_type = "ExportParams")] params: JsValue,
) -> JsValue {
    ask(&params, export::export)
}
