/** What is copied out of a conversation holds formulas as they were written, not the signs that they are drawn with. */
export const copyAsWritten = (event: ClipboardEvent | React.ClipboardEvent): void => {
  const selection = window.getSelection();
  if (!selection || selection.rangeCount === 0 || event.clipboardData === null) return;
  const part = selection.getRangeAt(0).cloneContents();
  const formulas = part.querySelectorAll('[data-formula]');
  if (formulas.length === 0) return;
  for (const formula of formulas) formula.replaceWith(formula.getAttribute('data-formula') ?? '');
  // Line breaks are known of what is laid out alone.
  const place = document.createElement('div');
  place.className = 'fixed -left-[200vw] w-[72ch] whitespace-pre-wrap';
  place.append(part);
  document.body.append(place);
  event.clipboardData.setData('text/plain', place.innerText);
  place.remove();
  event.preventDefault();
};
