//! The boundary to JavaScript.
