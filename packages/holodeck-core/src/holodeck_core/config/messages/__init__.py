"""From what is wrong to what a person reads: validation, its words, keys that were meant, secrets kept out."""
