/** Stands where something of what is asked is folded away; opens it. Until then nothing is allowed. */
export const LeftOut = ({ words, onOpen }: { words: string; onOpen(): void }) => (
  <button
    type="button"
    className="quiet-button h-auto py-0.5 border border-line bg-raised text-left font-sans text-warn"
    data-left-out
    onClick={onOpen}
  >
    … {words}: show all
  </button>
);
