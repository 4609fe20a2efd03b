//! SVG drawings of reports.
