/** Statements about one index; what is asked in one moment goes to the database in one statement. */
import type { Database } from '../../database.ts';
import type { QueryResultRow } from '../../driver.ts';
import { got } from '../ask.ts';
import { together } from '../together.ts';

export class IndexQueries {
  private readonly database: Database;
  private readonly index: number;

  constructor(database: Database, index: number) {
    this.database = database;
    this.index = index;
  }

  /** `$1` is the index; the values follow. */
  async all<Row extends QueryResultRow>(text: string, ...values: readonly unknown[]): Promise<Row[]> {
    return got(await this.database.query<Row>({ text, values: [this.index, ...values] })).rows;
  }

  /** Rows for each key; `at` is the key's place among those that were asked together. */
  listed<Key, Row extends QueryResultRow>(
    text: string,
    valuesOf: (keys: readonly Key[]) => unknown[],
  ): (key: Key) => Promise<Row[]> {
    return together(async (keys: readonly Key[]) => {
      const lists: Row[][] = keys.map(() => []);
      for (const { at, ...row } of await this.all<Row & { at: number }>(text, ...valuesOf(keys))) {
        lists[at - 1]?.push(row as unknown as Row);
      }
      return lists;
    });
  }
}

/** The same statement for each of the keys in `$2`, which it calls `sought`. */
export const ofEach = (type: string, columns: string, rest: string): string =>
  `SELECT asked.at::int AS at, found.* FROM unnest($2::${type}[]) WITH ORDINALITY AS asked (sought, at),
     LATERAL (SELECT ${columns} ${rest}) AS found ORDER BY asked.at`;
