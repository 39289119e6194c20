/** What programs that halter starts see of the person's environment: no key, by whatever name. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openTestAgent } from '../../src/testing/test-agent.ts';
import { verifies } from '../requirements.ts';
import { cleanEnvironment } from '../support/halter-process.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

const SECRETS = {
  OPENAI_API_KEY: 'of-the-person-one',
  SMTP_PASS: 'of-the-person-two',
  REDIS_URL: 'redis://of-the-person-three',
  CHOSEN: 'of-the-person-four',
  COPIED: 'of-the-person-one',
  PLAIN: 'sk-of-the-person-five-abcdefgh',
};

it('is kept from commands, and from servers whatever they inherit', async () => {
  verifies('S25');
  const [folder, home] = [scratchFolder(), scratchFolder()];
  putFiles(folder, {
    'server.mjs': "import fs from 'node:fs';\nfs.writeFileSync('seen.json', JSON.stringify(process.env));\n",
  });
  const opened = await openTestAgent({
    folder,
    environment: { ...cleanEnvironment(home), ...SECRETS, COPY: `before ${SECRETS.CHOSEN} after`, HARMLESS: 'seen' },
    platform: process.platform,
    sandbox: false,
    mode: 'yolo',
    apiKeyEnv: 'CHOSEN',
    mcp: { servers: { mcpServers: { s: { command: process.execPath, args: ['server.mjs'] } } } },
    onWarning: () => {},
  });
  if (!opened.ok) throw new Error(opened.error.message);
  onTestFinished(() => opened.value.close());
  const { data } = await opened.value.executeTool('bash', { command: 'env' });
  expect(data).toContain('HARMLESS=seen');
  expect(data).not.toContain('of-the-person');
  await opened.value.mcp.open();
  const seen = fs.readFileSync(path.join(folder, 'seen.json'), 'utf8');
  expect(seen).toContain('"PATH"');
  expect(seen).not.toMatch(/of-the-person|HARMLESS/);
});
