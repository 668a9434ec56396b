//! Every transition of the table, and the way a resume goes back.
