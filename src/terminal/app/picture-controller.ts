/** Which pictures of a conversation are shown: those a tool has made, and those the person sends. */
import type { SessionUpdate } from '../../core/events.ts';
import type { AppOptions } from '../app-options.ts';
import type { Environment } from '../theme.ts';
import type { Item } from '../transcript/items.ts';
import { madePicture, PictureItem, type PictureProtocol, pictureProtocol } from '../transcript/picture-item.ts';

export type PictureControllerPorts = {
  environment: Environment;
  read: AppOptions['readPicture'];
  rows(): number;
  nameOfCall(id: string): string | undefined;
  add(item: Item): void;
  changed(): void;
};

export class PictureController {
  readonly #ports: PictureControllerPorts;
  /** Asked once: this hears every piece of an answer. */
  readonly #protocol: PictureProtocol | undefined;

  constructor(ports: PictureControllerPorts) {
    this.#ports = ports;
    this.#protocol = pictureProtocol(ports.environment);
  }

  /** What an earlier session holds is told in a line and not drawn again. */
  follow(update: SessionUpdate, isReplay: boolean): void {
    const protocol = isReplay ? undefined : this.#protocol;
    const show = async (caption: string, from: string | Uint8Array): Promise<void> => {
      const item = new PictureItem(caption, protocol, this.#ports.rows);
      this.#ports.add(item);
      item.end(protocol && (await this.#ports.read?.(from).catch(() => undefined)));
      this.#ports.changed();
    };
    if (update.type === 'tool_finished') {
      if (!update.result.success || this.#ports.nameOfCall(update.tool_call_id) !== 'generate_image') return;
      const made = madePicture(update.result.data);
      if (made) void show(made.caption, made.path);
    } else if (update.type === 'user_message_added' && typeof update.content !== 'string' && protocol) {
      // That they came along stands in the message, for the terminals that cannot show them.
      for (const part of update.content)
        if (part.type === 'image') void show(part.mime_type, Buffer.from(part.data_base64, 'base64'));
    }
  }
}
