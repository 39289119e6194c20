/** A table as comma-separated values (RFC 4180). Pure. */

/** A cell that a spreadsheet would take for a formula is kept a text; a number is none. */
const asText = (cell: string): string => (/^(?:[=@\t\r]|[+-](?!\d))/.test(cell) && cell.length > 1 ? `'${cell}` : cell);

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

export const csvOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map((cell) => quoted(asText(cell.trim()))).join(',')}\r\n`).join('');
