/**
 * The tables of the indexes of folders. An index has a number, which is in every key. Inside it, ids are given out by its
 * own row (`last_id`), whose lock also lets only one process write at a time; `changes` counts the writings.
 *
 * `words` of a part holds, besides what is said in it, one lexeme that no text has, `#` and the number of its index: so
 * one GIN index serves all folders, and finds in each only its own. Text is cut into words before it comes here; the
 * dictionary stems them as node:sqlite does, and knows no words that are left out. No table refers to another one: that
 * would be looked up for every row that is written, and all of them are written and removed in one place.
 */
export const INDEX_TABLES = `
  CREATE TABLE halter.indexes (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    root text COLLATE "C" NOT NULL,
    version integer NOT NULL,
    last_id bigint NOT NULL DEFAULT 0,
    changes bigint NOT NULL DEFAULT 0,
    updated_at bigint NOT NULL DEFAULT 0,
    counted_chunks integer NOT NULL DEFAULT 0,
    vector_model text,
    used_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (root, version)
  );
  CREATE TABLE halter.index_files (
    index integer NOT NULL,
    id bigint NOT NULL,
    path text COLLATE "C" NOT NULL,
    size bigint NOT NULL,
    modified_ms double precision NOT NULL,
    hash text COLLATE "C" NOT NULL,
    language text COLLATE "C" NOT NULL,
    note text NOT NULL,
    PRIMARY KEY (index, id),
    UNIQUE (index, path)
  );
  CREATE TABLE halter.index_symbols (
    index integer NOT NULL,
    id bigint NOT NULL,
    file bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    parent bigint,
    full_name text COLLATE "C" NOT NULL,
    line_start integer NOT NULL,
    line_end integer NOT NULL,
    PRIMARY KEY (index, id)
  );
  CREATE INDEX index_symbols_by_name ON halter.index_symbols (index, md5(name));
  CREATE INDEX index_symbols_by_file ON halter.index_symbols (index, file);
  CREATE INDEX index_symbols_by_parent ON halter.index_symbols (index, parent);
  CREATE TABLE halter.index_references (
    index integer NOT NULL,
    file bigint NOT NULL,
    symbol bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    kind smallint NOT NULL,
    line integer NOT NULL
  );
  CREATE INDEX index_references_by_name ON halter.index_references (index, md5(name));
  CREATE INDEX index_references_by_file ON halter.index_references (index, file, line);
  CREATE TABLE halter.index_imports (
    index integer NOT NULL,
    file bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    module text COLLATE "C" NOT NULL,
    names json NOT NULL,
    line integer NOT NULL
  );
  CREATE INDEX index_imports_by_file ON halter.index_imports (index, file);
  CREATE INDEX index_imports_by_key ON halter.index_imports (index, md5(key));
  CREATE TABLE halter.index_file_keys (
    index integer NOT NULL,
    file bigint NOT NULL,
    key text COLLATE "C" NOT NULL
  );
  CREATE INDEX index_file_keys_by_key ON halter.index_file_keys (index, md5(key));
  CREATE INDEX index_file_keys_by_file ON halter.index_file_keys (index, file);
  CREATE TABLE halter.index_chunks (
    index integer NOT NULL,
    id bigint NOT NULL,
    file bigint NOT NULL,
    symbol bigint NOT NULL,
    line_start integer NOT NULL,
    line_end integer NOT NULL,
    text text NOT NULL,
    words tsvector NOT NULL,
    PRIMARY KEY (index, id)
  );
  CREATE INDEX index_chunks_by_file ON halter.index_chunks (index, file, line_start);
  CREATE INDEX index_chunks_by_words ON halter.index_chunks USING gin (words);
  CREATE TABLE halter.index_vectors (
    index integer NOT NULL,
    chunk bigint NOT NULL,
    data real[],
    written bigint NOT NULL DEFAULT 0,
    taken_until timestamptz,
    PRIMARY KEY (index, chunk)
  ) WITH (toast_tuple_target = 8160);
  ALTER TABLE halter.index_vectors ALTER COLUMN data SET STORAGE EXTERNAL;
  CREATE INDEX index_vectors_written ON halter.index_vectors (index, written);
  CREATE TABLE halter.index_common_words (
    index integer NOT NULL,
    word text COLLATE "C" NOT NULL,
    chunks integer NOT NULL,
    PRIMARY KEY (index, word)
  );
  CREATE TEXT SEARCH DICTIONARY halter.stems (TEMPLATE = pg_catalog.snowball, Language = porter);
  CREATE TEXT SEARCH CONFIGURATION halter.words (PARSER = pg_catalog."default");
  ALTER TEXT SEARCH CONFIGURATION halter.words ADD MAPPING FOR
    asciiword, word, numword, asciihword, hword, numhword, hword_asciipart, hword_part, hword_numpart, int, uint, float,
    sfloat, version, host, email, file, url, url_path, protocol WITH halter.stems;
`;

/** Where the rows of an index are, besides its own. */
export const INDEX_PARTS = [
  'files',
  'symbols',
  'references',
  'imports',
  'file_keys',
  'chunks',
  'vectors',
  'common_words',
];
