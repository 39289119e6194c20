/** `2,430`: digits in threes. Intl would do the same, and loading it costs 30 ms and 7 MB. */
export const grouped = (value: number): string => String(value).replace(/\B(?=(?:\d{3})+(?!\d))/g, ',');

/** `1 file`, `2,430 files`. `many`: where it is more than an s that is added. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;
