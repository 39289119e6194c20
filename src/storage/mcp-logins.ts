/** Tokens of MCP servers that the person logged in to: a file of their own, which counts only where nobody else reads it. */
import { stat } from 'node:fs/promises';
import type { JsonObject } from '../core/json.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { jsonFile, objectIn } from './mcp-files.ts';

export type LoginFile = {
  readonly path: string;
  /** What was kept for a server; undefined where there is none. */
  read(server: string): Promise<Outcome<JsonObject | undefined>>;
  /** The servers that there is a login for. */
  servers(): Promise<Outcome<string[]>>;
  /** Undefined takes it away. */
  write(server: string, login: JsonObject | undefined): Promise<Outcome<void>>;
};

const OF_OTHERS = 0o077;

export const createLoginFile = (configFolder: string): LoginFile => {
  const file = jsonFile(configFolder, 'mcp-logins.json', 'nobody is logged in to an MCP server');
  const isPrivate = async (): Promise<Outcome<void>> => {
    if (process.platform === 'win32') return succeed(undefined);
    const mode = await stat(file.path).then(
      ({ mode }) => mode,
      () => 0,
    );
    if ((mode & OF_OTHERS) === 0) return succeed(undefined);
    return failure('validation_failed', `Others can read ${file.path}. \`chmod 600 ${file.path}\` mends that.`);
  };
  return {
    path: file.path,
    async read(server) {
      const safe = await isPrivate();
      if (!safe.ok) return safe;
      const content = await file.read();
      if (!content.ok) return content;
      const login = objectIn(content.value['servers'])[server];
      return succeed(login === undefined ? undefined : objectIn(login));
    },
    async servers() {
      const content = await file.read();
      return content.ok ? succeed(Object.keys(objectIn(content.value['servers']))) : content;
    },
    write: (server, login) =>
      file.change((content) => {
        const { [server]: _before, ...others } = objectIn(content['servers']);
        return { version: 1, servers: login === undefined ? others : { ...others, [server]: login } };
      }),
  };
};
