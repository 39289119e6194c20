/** A text as a part of a regular expression, in which each of its characters stands for itself. */
export const escapedPattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
