//! Published windows and tables come out with the published digits.
