/** A pattern of words that stand by themselves, in any script; `\b` knows the letters of English alone. */
export const alone = (words: string): string => `(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`;
