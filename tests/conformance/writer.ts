/** Writes one of two texts to FILE of the workspace ROOT, again and again, and says so each time; until it is killed. */
import { createWorkspace } from '../../src/io/workspace.ts';

const [root = '', file = ''] = process.argv.slice(2);
const workspace = await createWorkspace({ root });
if (!workspace.ok) throw new Error(workspace.error.message);
for (let turn = 0; ; turn += 1) {
  process.stdout.write('.');
  await workspace.value.writeFile(file, Buffer.alloc(1024 * 1024, turn % 2 === 0 ? 'a' : 'b'));
}
