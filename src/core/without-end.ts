/**
 * A text without what stands at its end. `text.replace(/x+$/, '')` looks at each run of `x` again from every place in it,
 * which is the square of its length where the run does not end the text.
 */
export const withoutEnd = (text: string, isEnd: RegExp): string => {
  let end = text.length;
  while (end > 0 && isEnd.test(text[end - 1] as string)) end -= 1;
  return text.slice(0, end);
};
