/** What the tables of an index say about names, without deciding what a name means. */
import type { FileRow, IndexTables, ReferenceRow, SymbolRow } from '../core/index-port.ts';
import { fileKeys } from './imports.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { REFERENCE_KINDS } from './outline.ts';
import { each } from './resolve.ts';

const CALL = REFERENCE_KINDS.indexOf('call');
export const MEMBER = REFERENCE_KINDS.indexOf('member');
const LIMIT = SEARCH_LIMITS.graphReferences;

const kindsOf = (onlyCalls: boolean): number[] | undefined => (onlyCalls ? [CALL, MEMBER] : undefined);

export class GraphTables {
  readonly #tables: IndexTables;

  constructor(tables: IndexTables) {
    this.#tables = tables;
  }

  /** `push`, `Parser.push`; a method may be named as it is called (`parser.push`). */
  async symbolsCalled(name: string, file: FileRow | undefined): Promise<SymbolRow[]> {
    const last = name.split(/\.|::|#/).at(-1) as string;
    const rows = await this.#tables.symbolsNamed(last, LIMIT);
    const here = file === undefined ? rows : rows.filter((row) => row.file === file.id);
    if (last === name) return here;
    const wanted = name.replaceAll(/::|#/g, '.');
    const exact = here.filter((row) => row.full_name === wanted || row.full_name.endsWith(`.${wanted}`));
    return exact.length > 0 ? exact : here;
  }

  symbolsOf(file: FileRow): Promise<SymbolRow[]> {
    return this.#tables.symbolsOf(file.id);
  }

  symbolAt(id: number): Promise<SymbolRow | undefined> {
    return this.#tables.symbolById(id);
  }

  /** These symbols and all that stand inside them. */
  async withInside(symbols: readonly SymbolRow[]): Promise<number[]> {
    return [...new Set((await each(symbols, (symbol) => this.#tables.withInside(symbol))).flat())];
  }

  contentsOf(symbol: SymbolRow): Promise<SymbolRow[]> {
    return this.#tables.contentsOf(symbol, LIMIT);
  }

  referencesNamed(name: string, onlyCalls: boolean): Promise<ReferenceRow[]> {
    return this.#tables.referencesNamed(name, kindsOf(onlyCalls), LIMIT);
  }

  /** References of a file that stand in one of these symbols; 0: outside of all. */
  referencesIn(file: FileRow, within: readonly number[], onlyCalls: boolean): Promise<ReferenceRow[]> {
    return this.#tables.referencesIn(file.id, within, kindsOf(onlyCalls), LIMIT);
  }

  /** Files with an import that may mean this file. */
  async filesImporting(target: FileRow): Promise<number[]> {
    const rows = await each(fileKeys(target.path), (key) => this.#tables.importersOf(key, LIMIT));
    return [...new Set(rows.flat())];
  }
}
