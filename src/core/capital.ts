/** The text with a capital at its beginning, as a sentence or a name has it. */
export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
