/** Commands on what was kept of conversations. */
import { ANY, type CommandSpec } from '../command-spec.ts';

export const SESSION_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'sessions list',
    summary: "this folder's sessions, newest first",
    usage: '',
    words: { min: 0, max: 0 },
    flags: ['json', 'all', 'limit', 'directory', 'database'],
  },
  {
    name: 'sessions search',
    summary: 'the sessions in which these words were said, newest first',
    usage: 'QUERY…',
    words: { min: 1, max: ANY },
    flags: ['json', 'all', 'limit', 'directory', 'database'],
  },
  {
    name: 'sessions show',
    summary: 'one session, as a person reads it or as its events',
    usage: 'ID',
    words: { min: 1, max: 1 },
    flags: ['json', 'all', 'database'],
    flagHelp: { all: { value: '', help: 'arguments and results whole' } },
  },
  {
    name: 'sessions rename',
    summary: 'give a session a name; without one it is called by its first words again',
    usage: 'ID [NAME…]',
    words: { min: 1, max: ANY },
    flags: ['database'],
  },
  {
    name: 'sessions fork',
    summary: 'a new session that begins as a copy of another, up to any event of it',
    usage: 'ID',
    words: { min: 1, max: 1 },
    flags: ['at', 'json', 'database'],
    examples: ['halter sessions fork 3f2a --at 12'],
  },
  {
    name: 'sessions undo',
    summary: 'put files back as they were before a session changed them, step by step',
    usage: '[ID]',
    words: { min: 0, max: 1 },
    flags: ['steps', 'list', 'on-change', 'add-dir', 'json', 'directory', 'database'],
    examples: ['halter sessions undo --list', 'halter sessions undo --steps 3'],
  },
  {
    name: 'sessions export',
    summary: 'a session as a document to read (markdown, html) or to import elsewhere (json, jsonl)',
    usage: 'ID',
    words: { min: 1, max: 1 },
    flags: ['format', 'output', 'at', 'database'],
    flagHelp: {
      format: {
        value: 'FORMAT',
        help: 'markdown, html, json or jsonl (by the ending of --output, else markdown)',
        choices: ['markdown', 'json', 'jsonl', 'html'],
      },
      output: { value: 'FILE', help: 'write it to this file' },
    },
    examples: ['halter sessions export 3f2a -o session.html'],
  },
  {
    name: 'sessions import',
    summary: 'a session that was exported (json, jsonl), checked; it brings no permissions',
    usage: 'FILE',
    words: { min: 1, max: 1 },
    flags: ['json', 'directory', 'database'],
  },
  {
    name: 'sessions delete',
    summary: 'delete a session',
    usage: 'ID',
    words: { min: 1, max: 1 },
    flags: ['database'],
  },
  {
    name: 'replay',
    summary: 'run a recorded session again from its own answers and show the first difference',
    usage: 'SESSION|FILE|FOLDER',
    words: { min: 1, max: 1 },
    flags: ['tools', 'record', 'json', 'directory', 'database'],
    flagHelp: {
      tools: {
        value: 'recorded|real',
        help: 'take results from the record (recorded), or run file tools in a copy (real)',
      },
    },
    examples: ['halter replay 3f2a', 'halter replay 3f2a --record tests/sessions', 'halter replay tests/sessions'],
  },
];
