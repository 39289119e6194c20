/** Pictures that the person hands over: a name stands for each in the prompt, and goes when its name is removed. */
import type { ContentPart } from '../../core/message.ts';
import type { AppOptions, HandedPicture, ModelFacts } from '../app-options.ts';
import { sanitizeLine } from '../sanitize.ts';
import type { Severity } from '../transcript/items.ts';

export type AttachmentsPorts = {
  pictureAt: AppOptions['pictureAt'];
  pictureOnClipboard: AppOptions['pictureOnClipboard'];
  model(): ModelFacts;
  type(text: string): void;
  notice(severity: Severity, text: string): void;
};

const PASTE = /^\x1b\[200~([\s\S]*?)(?:\x1b\[201~)?$/;
const NAME = /\[picture \d+: [^\]\n]*\]/g;

export class Attachments {
  readonly #ports: AttachmentsPorts;
  readonly #pictures = new Map<string, ContentPart>();

  constructor(ports: AttachmentsPorts) {
    this.#ports = ports;
  }

  /** True where what was pasted or dropped is a picture. Some terminals paste nothing where the clipboard holds one. */
  takes(data: string): boolean {
    const pasted = PASTE.exec(data)?.[1];
    if (pasted === undefined) return false;
    if (pasted === '' && this.#ports.pictureOnClipboard) {
      void this.paste();
      return true;
    }
    const picture = this.#ports.pictureAt?.(pasted);
    return picture !== undefined && this.#attach(picture, 'Its path is in the message instead.');
  }

  /** The picture on the clipboard. */
  async paste(): Promise<void> {
    const { pictureOnClipboard, notice } = this.#ports;
    if (pictureOnClipboard === undefined) notice('warning', 'The clipboard cannot be read here.');
    else this.#attach(await pictureOnClipboard(), '');
  }

  #attach(picture: HandedPicture, instead: string): boolean {
    const { model, notice, type } = this.#ports;
    const refusal = picture.ok
      ? model().sees === false
        ? `${sanitizeLine(model().name)} does not see pictures.`
        : undefined
      : picture.message;
    if (!picture.ok || refusal !== undefined) {
      notice('warning', `${refusal} ${instead}`.trim());
      return false;
    }
    const name = sanitizeLine(picture.name).replaceAll(/[[\]]/g, '');
    const label = `[picture ${this.#pictures.size + 1}: ${name}]`;
    const data_base64 = Buffer.from(picture.bytes).toString('base64');
    this.#pictures.set(label, { type: 'image', mime_type: picture.mimeType, data_base64, name });
    type(`${label} `);
    return true;
  }

  /** Those that are named in a message. */
  partsIn(text: string): ContentPart[] {
    return [...new Set(text.match(NAME) ?? [])].flatMap((label) => this.#pictures.get(label) ?? []);
  }
}
