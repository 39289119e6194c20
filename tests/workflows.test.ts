/** The workflows of the code host: what they may do, whose code they run, and which of them can publish. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from './requirements.ts';

const FOLDER = path.join(import.meta.dirname, '../.github/workflows');
const WORKFLOWS = readdirSync(FOLDER).map((name) => ({ name, text: readFileSync(path.join(FOLDER, name), 'utf8') }));

/** Each job with its lines; two spaces deep, as in every file here. */
const jobsOf = (text: string): { name: string; text: string }[] => {
  const [, jobs = ''] = text.split(/^jobs:\n/m);
  const names = [...jobs.matchAll(/^ {2}([\w-]+):\n/gm)];
  return names.map((match, index) => ({
    name: match[1] ?? '',
    text: jobs.slice(match.index, names[index + 1]?.index ?? jobs.length),
  }));
};
const permissionsOf = (job: string): string[] => {
  const [, listed = ''] = /^ {4}permissions:\n((?: {6}.*\n)+)/m.exec(job) ?? [];
  return listed.split('\n').flatMap((line) => line.trim() || []);
};
const stepsOf = (job: string): string[] =>
  [...job.matchAll(/^ {6}(?:- | {2})(uses|run): (.*)$/gm)].map(([, kind, what]) => `${kind} ${what}`);

describe('the workflows', () => {
  it.each(WORKFLOWS)('$name: every action is pinned by its digest', ({ text }) => {
    verifies('S46');
    const used = [...text.matchAll(/^\s*(?:- )?uses:\s*(\S+)(.*)$/gm)];
    expect(used.length).toBeGreaterThan(0);
    for (const [, action = '', comment = ''] of used)
      expect([action, comment]).toEqual(
        action.startsWith('./')
          ? [expect.stringMatching(/^\.\/\.github\/workflows\/[\w-]+\.yml$/), '']
          : [expect.stringMatching(/^actions\/[a-z-]+@[0-9a-f]{40}$/), expect.stringMatching(/^ # v\d+\.\d+\.\d+$/)],
      );
  });

  it.each(WORKFLOWS)('$name: may read at most, is given no secret, and keeps no credentials', ({ text }) => {
    verifies('S46');
    expect(text).toMatch(/^permissions:(?: \{\}\n|\n {2}contents: read\n\S)/m);
    expect(text).not.toMatch(/pull_request_target|workflow_run|secrets\.|write-all|self-hosted/);
    const checkouts = text.split('actions/checkout@').slice(1);
    for (const checkout of checkouts) expect(checkout.split('- uses:')[0]).toContain('persist-credentials: false');
    // What a person wrote elsewhere (a title, the name of a branch) becomes no part of a line for the shell.
    for (const [line] of text.matchAll(/^.*\brun:.*$/gm)) expect(line).not.toContain('${{');
  });

  it('one job can publish: after the tests, in an environment of its own, with no code of the repository', () => {
    verifies('S46');
    const jobs = WORKFLOWS.flatMap(({ name, text }) => jobsOf(text).map((job) => ({ file: name, ...job })));
    const writing = jobs.filter(({ text }) => /:\s*write\b/.test(text));
    expect(writing.map(({ file, name }) => `${file} ${name}`)).toEqual(['publish.yml publish']);
    const job = writing[0]?.text ?? '';
    expect(permissionsOf(job)).toEqual(['id-token: write']);
    expect(job).toMatch(/^ {4}environment: npm$/m);
    expect(job).toMatch(/^ {4}needs: pack$/m);
    expect(stepsOf(job).map((step) => step.replace(/@.*/, ''))).toEqual([
      'uses actions/download-artifact',
      'uses actions/setup-node',
      'run npm publish ./*.tgz --provenance --access public --ignore-scripts',
    ]);
    expect(job).not.toMatch(/\bcache\b/);
    const packing = jobs.find(({ file, name }) => file === 'publish.yml' && name === 'pack')?.text ?? '';
    expect(packing).toMatch(/^ {4}needs: test$/m);
    expect(permissionsOf(packing)).toEqual(['contents: read']);
  });
});
