/** The kept login of one server. A file that cannot be read is no login; who logs in is told why. */
import type { JsonObject } from '../../core/json.ts';
import type { Login, LoginStore } from '../../mcp/login-record.ts';
import { createLoginFile } from '../../storage/mcp-logins.ts';

export const loginsOf = (configFolder: string, server: string): LoginStore => {
  const file = createLoginFile(configFolder);
  return {
    async read() {
      const kept = await file.read(server);
      return kept.ok ? (kept.value as Login | undefined) : undefined;
    },
    async write(login) {
      const kept = await file.write(server, login as JsonObject | undefined);
      if (!kept.ok) throw new Error(kept.error.message);
    },
  };
};
