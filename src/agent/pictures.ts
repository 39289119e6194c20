/**
 * Pictures for a person to look at: those that lie in the workspace, and those of the web that the person asked to see.
 * What is a picture says its content, never its name or what a server calls it.
 */

import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { Network, Workspace } from '../core/ports.ts';
import { asRequester } from '../io/requester.ts';
import { TOOL_LIMITS } from '../tools/limits.ts';
import { webRequest } from '../tools/web/get.ts';
import { imageFile } from '../tools/web/image-file.ts';
import { AGENT_LIMITS } from './limits.ts';

export type Picture = { bytes: Uint8Array; mimeType: string; width: number; height: number };

export type Pictures = {
  /** Relative to the workspace. */
  ofWorkspace(path: string, signal: AbortSignal): Promise<Outcome<Picture>>;
  /** What is there already: of a message. */
  ofBytes(what: string, bytes: Uint8Array): Outcome<Picture>;
  /** Through the port that judges every address, since a model may have written this one. */
  ofWeb(url: string, signal: AbortSignal): Promise<Outcome<Picture>>;
};

const MIME_TYPES = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp', gif: 'image/gif' } as const;
const ACCEPT = Object.values(MIME_TYPES).join(',');

export const createPictures = (ports: { workspace: Workspace; network: Network }): Pictures => ({
  async ofWorkspace(path, signal) {
    const read = await ports.workspace.readFile(path, { maxBytes: AGENT_LIMITS.pictureBytes, signal });
    return read.ok ? checked(path, read.value.bytes) : read;
  },
  ofBytes: (what, bytes) => checked(what, bytes),
  async ofWeb(url, signal) {
    const target = URL.parse(url);
    if (url.length > TOOL_LIMITS.webUrlCharacters || !target || !/^https?:$/.test(target.protocol)) {
      return failure('validation_failed', 'That is no address of a picture.', 'invalid_url');
    }
    const fetched = await asRequester({ who: 'picture' }, () =>
      webRequest(
        { network: ports.network, signal },
        {
          url: target.href,
          headers: { accept: ACCEPT },
          redirects: TOOL_LIMITS.webRedirects,
          maxResponseBytes: AGENT_LIMITS.pictureBytes,
          timeoutMs: AGENT_LIMITS.pictureTimeoutMs,
        },
      ),
    );
    if (!fetched.ok) {
      const { output } = fetched;
      return output.success
        ? failure('io_error', `${target.host} gave nothing.`)
        : failure(output.error_type, output.error_message, output.metadata?.reason);
    }
    const { status, bytes } = fetched.answer;
    if (status !== 200) return failure('io_error', `${target.host} answered with status ${status}.`, `http_${status}`);
    return checked(target.host, bytes);
  },
});

/** A small file can be a picture of billions of points, which a browser would try to draw. */
const checked = (what: string, bytes: Uint8Array): Outcome<Picture> => {
  const file = imageFile(bytes);
  if (file === undefined) {
    return failure('parse_error', `${what} is no PNG, JPEG, GIF or WebP picture.`, 'not_a_picture');
  }
  if ((file.width ?? 0) * (file.height ?? 0) > AGENT_LIMITS.picturePixels) {
    return failure('validation_failed', `${what} has more than ${AGENT_LIMITS.picturePixels} points.`, 'too_large');
  }
  return succeed({ bytes, mimeType: MIME_TYPES[file.format], width: file.width ?? 0, height: file.height ?? 0 });
};
