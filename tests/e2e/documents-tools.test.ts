/** Sentences of the first two documents, word for word, each played in its preset and outside, by `run` and over HTTP. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../requirements.ts';
import { type Call, type Result, type Row, WAYS } from '../support/document-plays.ts';
import { inTurn } from '../support/long.ts';

const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');
const BINARY = new Uint8Array([0, 1, 2, 255, 254, 0, 0]);
const failed = (error_type: string, error_message: unknown = expect.any(String)) =>
  expect.objectContaining({ success: false, data: null, error_type, error_message });
const gave = (data: unknown) =>
  expect.objectContaining({ success: true, data, error_message: null, error_type: 'none' });
const matching = (pattern: RegExp) => gave(expect.stringMatching(pattern));
const denied = ({ results }: { results: Result[] }): void => {
  expect(results).toMatchObject([{ success: false, error_type: 'permission_denied' }]);
};

type Sentence = Omit<Row, 'preset' | 'says'> & { calls: readonly (readonly Call[])[] };
const resulting = (sentence: string, calls: readonly Call[], results: readonly unknown[], more: Partial<Row> = {}) => ({
  sentence,
  calls: [calls],
  ...more,
  holds: (seen: { results: Result[] }) => expect(seen.results).toEqual(results),
});

const ZODOLLAMA: readonly Sentence[] = [
  resulting(
    'get_file_tree: auto-approved (safe, read-only); returns: JSON array of file paths',
    [['get_file_tree', {}]],
    [gave('["a.txt","b/c.md","é ü.txt"]')],
    { files: { 'a.txt': 'a', 'b/c.md': 'x', 'é ü.txt': '' } },
  ),
  resulting(
    'Error: data null, "File not found: config.txt", not_found',
    [['read_file', { path: 'config.txt' }]],
    [failed('not_found', 'File not found: config.txt')],
    { allow: ['read_file'] },
  ),
  resulting(
    'Returns: file contents (max 10MB)',
    [['read_file', { path: 'big' }]],
    [failed('validation_failed', expect.stringContaining('10 MB'))],
    { allow: ['read_file'], files: { big: 'x'.repeat(10 * 1024 * 1024 + 1) } },
  ),
  {
    sentence: 'read_file requires user approval (medium risk); permission_denied: permission system denial',
    calls: [[['read_file', { path: 'a.txt' }]]],
    files: { 'a.txt': 'a' },
    holds: denied,
  },
  resulting(
    'get_current_time: auto-approved; ISO 8601 formatted timestamp',
    [['get_current_time', {}]],
    [matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/)],
  ),
  resulting(
    'add_task returns the task ID; list_tasks an array of tasks with IDs, status, and content',
    [
      ['add_task', { content: 'one' }],
      ['add_task', { content: 'two' }],
      ['update_task', { task_id: 'task_2', status: 'in_progress' }],
      ['list_tasks', {}],
    ],
    [
      gave('task_1'),
      gave('task_2'),
      matching(/task_2.*in_progress/),
      gave(
        '[{"id":"task_1","status":"pending","content":"one"},{"id":"task_2","status":"in_progress","content":"two"}]',
      ),
    ],
  ),
  resulting(
    'update_task: error types not_found, validation_failed',
    [
      ['update_task', { task_id: 'task_9', status: 'completed' }],
      ['add_task', { content: 'x' }],
      ['update_task', { task_id: 'task_1', status: 'done' }],
      ['add_task', {}],
    ],
    [
      failed('not_found', expect.stringContaining('task_9')),
      gave('task_1'),
      failed('validation_failed', expect.stringContaining('"in_progress"')),
      failed('validation_failed', expect.stringContaining('content is required')),
    ],
  ),
  {
    sentence: 'metadata: execution_time_ms, data_size_bytes, timestamp',
    calls: [[['read_file', { path: 'a.txt' }]]],
    files: { 'a.txt': 'äöü€' },
    allow: ['read_file'],
    holds: ({ results }) => {
      const metadata = results[0]?.metadata;
      expect(Object.keys(metadata ?? {}).sort()).toEqual(['data_size_bytes', 'execution_time_ms', 'timestamp']);
      expect(metadata).toMatchObject({ data_size_bytes: new TextEncoder().encode('1: äöü€').length });
      expect(new Date(Number(metadata?.['timestamp'])).getUTCFullYear()).toBeGreaterThan(2024);
    },
  },
  {
    sentence: 'Max: 15 tool calls per iteration; resets after each master loop iteration',
    calls: [
      Array.from({ length: 17 }, (_, index): Call => ['add_task', { content: `a${index}` }]),
      Array.from({ length: 15 }, (_, index): Call => ['add_task', { content: `b${index}` }]),
    ],
    holds: ({ results }) => {
      const made = results.map(({ success }) => success);
      expect(made).toEqual([...Array(15).fill(true), false, false, ...Array(15).fill(true)]);
      expect(results[16]).toMatchObject({ error_type: 'validation_failed' });
      expect(results.at(-1)).toMatchObject({ data: 'task_30' });
    },
  },
  {
    sentence: '[add_task …] [read_file "markdown.zig"] [update_task "task_1" "completed"] in one answer',
    calls: [
      [
        ['add_task', { content: 'Analyze current structure' }],
        ['add_task', { content: 'Design module boundaries' }],
        ['read_file', { path: 'markdown.zig' }],
        ['update_task', { task_id: 'task_1', status: 'completed' }],
      ],
    ],
    files: { 'markdown.zig': 'const std = 1;\n' },
    allow: ['read_file'],
    holds: ({ results, answer }) => {
      expect(results.map(({ success }) => success)).toEqual([true, true, true, true]);
      expect(answer).toMatch(/^Done\./);
    },
  },
  {
    sentence: 'Result added to the conversation: a message of the role tool with the id of its call',
    calls: [[['get_current_time', {}]], [['list_tasks', {}]]],
    holds: ({ requests }) => {
      const messages = JSON.parse(requests.at(-1) ?? '[]') as Record<string, unknown>[];
      expect(messages.map(({ role }) => role).slice(-4)).toEqual(['assistant', 'tool', 'assistant', 'tool']);
      const ids = messages.filter(({ role }) => role === 'tool').map(({ tool_call_id }) => tool_call_id);
      expect(new Set(ids).size).toBe(2);
      const calls = messages.flatMap(({ tool_calls }) => (tool_calls as { id: string }[] | undefined) ?? []);
      expect(calls.map(({ id }) => id)).toEqual(ids);
    },
  },
  resulting(
    'Ollama sends "arguments": {}',
    [
      ['get_current_time', { zone: null }],
      ['list_tasks', { filter: 'open' }],
    ],
    [gave(expect.any(String)), gave('[]')],
  ),
];

const LOCAL_HARNESS: readonly Sentence[] = [
  resulting(
    'ls: include hidden files (default: false); directories shown with trailing /; summary statistics',
    [
      ['ls', {}],
      ['ls', { show_hidden: true }],
    ],
    [
      matching(
        /^(?![\s\S]*\.hid)[\s\S]*FILE +4 B .* a\.txt\n[\s\S]*DIR .* d\/\n[\s\S]*2 files, 1 dir, total size 2\.9 KB/,
      ),
      matching(/\.hid\n[\s\S]*3 files, 1 dir/),
    ],
    { files: { 'a.txt': 'aaaa', 'b.txt': 'x'.repeat(3_000), '.hid': 'h', 'd/e': '' } },
  ),
  resulting(
    'Example: {"path": "tools", "sort_by": "size", "reverse": true}',
    [
      ['ls', { path: 'tools', sort_by: 'size' }],
      ['ls', { path: 'tools', sort_by: 'size', reverse: true }],
    ],
    [expect.anything(), expect.anything()],
    {
      files: { 'tools/a': 'a'.repeat(9), 'tools/b': 'b'.repeat(99), 'tools/c': 'c' },
      holds: ({ results }) => {
        const order = results.map(({ data }) => [...(data ?? '').matchAll(/ ([abc])$/gm)].map(([, name]) => name));
        expect(order[0]).toEqual(['b', 'a', 'c']);
        expect(order[1]).toEqual(['c', 'a', 'b']);
      },
    },
  ),
  resulting(
    'ls: max entries to return (max: 1000)',
    [
      ['ls', { max_entries: 2 }],
      ['ls', { max_entries: 1_000 }],
      ['ls', { max_entries: 1_001 }],
    ],
    [matching(/2 of 9 entries/), matching(/f8\n\n9 files/), failed('validation_failed')],
    { files: Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`f${index}`, ''])) },
  ),
  resulting(
    'ls: error types not_found, validation_failed; blocks absolute paths and directory traversal',
    [
      ['ls', { path: 'no' }],
      ['ls', { path: 'a.txt' }],
      ['ls', { path: '/etc' }],
      ['ls', { path: 'd/../../' }],
    ],
    [failed('not_found'), failed('validation_failed'), failed('validation_failed'), failed('validation_failed')],
    { files: { 'a.txt': 'a', 'd/e': '' } },
  ),
  resulting(
    'Output format: 1: line content; small files (<100 lines): full content',
    [
      ['read_file', { path: 'a.txt' }],
      ['read_file', { path: 'bin' }],
      ['read_file', { path: '../a.txt' }],
    ],
    [
      gave(
        lines(99)
          .trimEnd()
          .replaceAll('line ', '')
          .split('\n')
          .map((n) => `${n}: line ${n}`)
          .join('\n'),
      ),
      failed('parse_error'),
      failed('validation_failed'),
    ],
    { allow: ['read_file'], files: { 'a.txt': lines(99), bin: BINARY } },
  ),
  resulting(
    'write_file returns: confirmation message with file size',
    [
      ['write_file', { path: 'n/ä.txt', content: 'äö\n' }],
      ['write_file', { path: '/tmp/outside', content: 'a' }],
      ['write_file', { path: '../outside', content: 'a' }],
    ],
    [matching(/n\/ä\.txt.*5 bytes/), failed('validation_failed'), failed('validation_failed')],
    { allow: ['write_file'] },
  ),
  {
    sentence: 'replace_lines: last line inclusive, 1-indexed; returns confirmation with lines replaced count',
    calls: [
      [['read_file', { path: 'a.txt' }]],
      [
        ['replace_lines', { path: 'a.txt', line_start: 2, line_end: 3, new_content: 'two\nthree\nhalf' }],
        ['replace_lines', { path: 'no.txt', line_start: 1, line_end: 1, new_content: 'x' }],
        ['replace_lines', { path: 'a.txt', line_start: 3, line_end: 2, new_content: 'x' }],
        ['replace_lines', { path: 'a.txt', line_start: 50, line_end: 51, new_content: 'x' }],
      ],
      [['read_file', { path: 'a.txt' }]],
    ],
    files: { 'a.txt': lines(5) },
    allow: ['read_file', 'replace_lines'],
    holds: ({ results }) => {
      expect(results.slice(1)).toEqual([
        matching(/^Replaced 2 lines \(2–3\)/),
        failed('not_found'),
        failed('validation_failed'),
        failed('validation_failed'),
        gave('1: line 1\n2: two\n3: three\n4: half\n5: line 4\n6: line 5'),
      ]);
    },
  },
  {
    sentence: 'insert_lines: N+1 appends to the end; line_end must equal line_start',
    calls: [
      [['read_file', { path: 'a.txt' }]],
      [
        ['insert_lines', { path: 'a.txt', line_start: 4, line_end: 4, new_content: 'four\nfive' }],
        ['insert_lines', { path: 'a.txt', line_start: 1, line_end: 2, new_content: 'x' }],
        ['insert_lines', { path: 'a.txt', line_start: 99, line_end: 99, new_content: 'x' }],
        ['insert_lines', { path: 'a.txt', line_start: 1, line_end: 1, new_content: 'zero' }],
      ],
      [['read_file', { path: 'a.txt' }]],
    ],
    files: { 'a.txt': 'one\ntwo\nthree\n' },
    allow: ['read_file', 'insert_lines'],
    holds: ({ results }) => {
      expect(results.slice(1)).toEqual([
        matching(/^Inserted 2 lines at the end/),
        failed('validation_failed'),
        failed('validation_failed'),
        matching(/^Inserted 1 line before line 1/),
        gave('1: zero\n2: one\n3: two\n4: three\n5: four\n6: five'),
      ]);
    },
  },
  resulting(
    'grep_search: case-insensitive by default; {"pattern": "fn*init", "file_filter": "*.zig", "max_results": 50}',
    [['grep_search', { pattern: 'FN*INIT', file_filter: '*.zig', max_results: 50 }]],
    [gave('Found 2 matches in 1 file\n\na.zig\n  1: pub fn myInit() void {}\n  2: fn b() init')],
    {
      allow: ['grep_search'],
      files: { 'a.zig': 'pub fn myInit() void {}\nfn b() init', 'a.md': 'fn init', 'bin.zig': BINARY },
    },
  ),
  resulting(
    'grep_search: respects .gitignore by default; always skips .git; active flags [+hidden], [+gitignored]',
    [
      ['grep_search', { pattern: 'word' }],
      ['grep_search', { pattern: 'word', include_hidden: true, ignore_gitignore: true }],
    ],
    [
      matching(/^No matches/),
      gave('Found 2 matches in 2 files [+hidden] [+gitignored]\n\n.config/s\n  1: word 1\n\nign/s\n  1: word 2'),
    ],
    {
      allow: ['grep_search'],
      files: { '.config/s': 'word 1', '.gitignore': 'ign/\n', 'ign/s': 'word 2', '.git/x': 'word 3' },
    },
  ),
  {
    sentence: 'high: requires approval with warning (write_file, replace_lines)',
    calls: [[['write_file', { path: 'a', content: 'b' }]]],
    holds: denied,
  },
  resulting(
    '.integer, .number_string, .bool, .null: proper type handling of arguments',
    [
      ['ls', { path: '.', max_entries: '1', show_hidden: 'false', sort_by: null }],
      ['ls', { max_entries: 3.5 }],
      ['ls', { max_entries: true }],
    ],
    [matching(/1 of 2 entries/), failed('validation_failed'), failed('validation_failed')],
    { files: { a: '', b: '' } },
  ),
];

const DOCUMENTS = [
  { preset: 'zodollama', sentences: ZODOLLAMA },
  { preset: 'local-harness', sentences: LOCAL_HARNESS },
] as const;

describe.each(WAYS.map((way, index) => ({ ...way, index })))('$way', ({ play, index }) => {
  for (const { preset, sentences } of DOCUMENTS)
    it.each(inTurn(sentences, index, WAYS.length))(`${preset}: $sentence`, async ({ calls, ...sentence }) => {
      verifies('Z5', 'Z6');
      const row: Row = { ...sentence, preset, says: [...calls, 'Done.'] };
      row.holds(await play(row));
    });
});
