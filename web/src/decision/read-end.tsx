/** Where a part of what would be allowed ends: once this was in sight, the part was read. It takes no room. */
export const ReadEnd = ({ atBottom = false }: { atBottom?: boolean }) => (
  <span
    data-read-end
    className={atBottom ? 'absolute right-0 bottom-0 h-[1em] w-px' : '-mr-px inline-block h-[1em] w-px align-baseline'}
  />
);
