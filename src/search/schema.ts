/** The tables of an index. All of it follows from the files, so another version is rebuilt. */
export const INDEX_VERSION = 3;

/** Identifiers are cut into words before they come here, so that `readFile`, `read_file` and "reads a file" meet. */
export const TOKENIZER = 'porter unicode61 remove_diacritics 2';

export const SCHEMA = `
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files(
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, modified_ms REAL NOT NULL,
  hash TEXT NOT NULL, language TEXT NOT NULL, note TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS names(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS symbols(
  id INTEGER PRIMARY KEY, file INTEGER NOT NULL, name INTEGER NOT NULL, kind TEXT NOT NULL, parent INTEGER,
  full_name TEXT NOT NULL, line_start INTEGER NOT NULL, line_end INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS symbols_by_name ON symbols(name);
CREATE INDEX IF NOT EXISTS symbols_by_file ON symbols(file);
CREATE TABLE IF NOT EXISTS refs(
  name INTEGER NOT NULL, file INTEGER NOT NULL, symbol INTEGER NOT NULL, kind INTEGER NOT NULL, line INTEGER NOT NULL,
  PRIMARY KEY(name, file, symbol, kind)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS refs_by_file ON refs(file, symbol);
CREATE TABLE IF NOT EXISTS imports(
  file INTEGER NOT NULL, key TEXT NOT NULL, module TEXT NOT NULL, names TEXT NOT NULL, line INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS imports_by_file ON imports(file);
CREATE INDEX IF NOT EXISTS imports_by_key ON imports(key);
CREATE TABLE IF NOT EXISTS file_keys(key TEXT NOT NULL, file INTEGER NOT NULL, PRIMARY KEY(key, file)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS file_keys_by_file ON file_keys(file);
CREATE TABLE IF NOT EXISTS chunks(
  id INTEGER PRIMARY KEY, file INTEGER NOT NULL, symbol INTEGER NOT NULL, line_start INTEGER NOT NULL,
  line_end INTEGER NOT NULL, text TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS chunks_by_file ON chunks(file);
CREATE TABLE IF NOT EXISTS vectors(chunk INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS common_words(word TEXT PRIMARY KEY, chunks INTEGER NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
  body, names, path, content='', contentless_delete=1, tokenize='${TOKENIZER}'
);
CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab('words', 'row');
`;
