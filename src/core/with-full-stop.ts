/** A text of somebody as a sentence: one that ends with a sign of its own gets no second one. */
export const withFullStop = (text: string): string => (/[.!?…:;。！？।؟]["'”’)\]]*$/u.test(text) ? text : `${text}.`);
