//! Every line of the ledger passes on a run by the book and fails on one that departs.
