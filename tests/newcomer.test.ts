/** What a newcomer does: a tool is one file and one line. Shown on a copy of the sources. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from './requirements.ts';
import { ROOT } from './source-files.ts';
import { runHalter } from './support/halter-process.ts';
import { scratchFolder } from './support/scratch.ts';

const TOOL = `import { defineTool } from '../core/tool/define-tool.ts';

export const reverseText = defineTool({
  name: 'reverse_text',
  description: 'Reverse a text',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  risk: 'safe',
  run: ({ text }) => [...text].reverse().join(''),
});
`;

/** Three command lines as the program runs them, one after another. */
const THREE = `import { Readable } from 'node:stream';
import { runCommandLine } from './src/cli/command-line.ts';

const ran = [];
for (const args of [
  ['tools', 'list', '--json'],
  ['tools', 'call', 'reverse_text', '{"text": "halter"}'],
  ['tools', 'call', 'reverse_text', '{"text": 1}'],
]) {
  const told = { out: '', err: '' };
  const output = (name) => ({ write: (text) => { told[name] += text; }, isTTY: false, columns: 80 });
  const code = await runCommandLine(args, {
    stdin: Readable.from([]), stdout: output('out'), stderr: output('err'), env: process.env, cwd: process.cwd(), onSignal: () => () => {},
  });
  ran.push({ code, ...told });
}
process.stdout.write(JSON.stringify(ran));
`;

describe("a newcomer's tool", () => {
  it('is one file and one line, and then works everywhere', async () => {
    verifies('L9', 'E14');
    const copy = scratchFolder();
    fs.cpSync(path.join(ROOT, 'src'), path.join(copy, 'src'), { recursive: true });
    fs.copyFileSync(path.join(ROOT, 'package.json'), path.join(copy, 'package.json'));
    fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));

    fs.writeFileSync(path.join(copy, 'src/tools/reverse-text.ts'), TOOL);
    const index = path.join(copy, 'src/tools/index.ts');
    const list = fs.readFileSync(index, 'utf8');
    const opening = 'export const BUILT_IN_TOOLS = Object.freeze([';
    expect(list).toContain(opening);
    // The one line, with its import.
    const more = list.replace(opening, `${opening}\n  reverseText,`);
    fs.writeFileSync(index, `import { reverseText } from './reverse-text.ts';\n${more}`);

    // One start for all three: each would strip the types of the whole copy.
    fs.writeFileSync(path.join(copy, 'three.ts'), THREE);
    const ran = await runHalter([], { command: [process.execPath, path.join(copy, 'three.ts')] });
    const [listed, called, wrong] = ran.json() as unknown as { code: number; out: string }[];
    expect(listed?.out).toContain('"reverse_text"');
    expect(JSON.parse(called?.out ?? '')).toMatchObject({ success: true, data: 'retlah' });
    expect(wrong?.code).toBe(1);
    expect(JSON.parse(wrong?.out ?? '')).toMatchObject({ error_type: 'validation_failed' });
  });
});
