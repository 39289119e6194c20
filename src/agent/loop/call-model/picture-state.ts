/** Whether the model of a conversation is shown pictures now, for all ways in which its requests go out. */
import type { ModelMessage } from '../../../core/message.ts';
import type { ModelError, ModelProvider } from '../../../core/model-port.ts';
import { notAPicture, type PicturePart, truePicture } from '../../../core/picture-kind.ts';
import {
  hasPictures,
  isOfResults,
  lastPictures,
  picturesOf,
  withoutPictures,
  withoutResultPictures,
  withReadablePictures,
} from '../../../core/pictures-left-out.ts';
import { AGENT_LIMITS } from '../../limits.ts';

/** The pictures of one message, those that are alike together; each is left out alone in its turn. */
type Trial = { groups: readonly (readonly PicturePart[])[]; next: number; refusal: string };

export class PictureState {
  readonly #provider: Pick<ModelProvider, 'describe'>;
  /** Those of results: as the server says. */
  readonly #seesResults: boolean;
  #isRefused = false;
  #isTold = false;
  /** The server said that the model sees, and refused nevertheless. */
  #isSaidInVain = false;
  #askedAt: ModelMessage | undefined;
  /** Those that the server could not read, though it takes others. */
  readonly #unreadable = new WeakSet<PicturePart>();
  readonly #told = new WeakSet<PicturePart>();
  #trial: Trial | undefined;

  constructor(provider: Pick<ModelProvider, 'describe'>, vision: boolean | undefined) {
    this.#provider = provider;
    this.#seesResults = vision !== false;
  }

  /** What is sent of these messages. */
  shown(messages: readonly ModelMessage[]): readonly ModelMessage[] {
    if (this.#isRefused) return withoutPictures(messages);
    return withReadablePictures(this.#seesResults ? messages : withoutResultPictures(messages), this.#unreadable);
  }

  /** What is no picture at all, for the person: a sentence for each, once. */
  notPictures(messages: readonly ModelMessage[]): readonly string[] {
    const untold = messages.flatMap(picturesOf).filter((part) => !this.#told.has(part) && !truePicture(part));
    for (const part of untold) this.#told.add(part);
    return untold.map(({ name = 'A file' }) => `${notAPicture(name)}, so the model is not shown it.`);
  }

  /**
   * One of the newest pictures is what the server could not read; which one it seldom says. Each is left out alone in its
   * turn, then all of them. False: they are left out already, or there are none.
   */
  leaveOutNewest(messages: readonly ModelMessage[], refusal: string): boolean {
    const { groups, next } = this.#trial ?? { groups: this.#newestGroups(messages), next: 0 };
    this.#trial = undefined;
    for (const part of groups[next - 1] ?? []) this.#unreadable.delete(part);
    const one = groups.length > 1 && groups.length <= AGENT_LIMITS.picturesLeftOutAlone ? groups[next] : undefined;
    if (one !== undefined) this.#trial = { groups, next: next + 1, refusal };
    for (const part of one ?? groups.flat()) this.#unreadable.add(part);
    return groups.length > 0;
  }

  /** Whether one picture is left out to see whether it is the one. */
  get isTrying(): boolean {
    return this.#trial !== undefined;
  }

  /** What was tried is over. The sentence for the person where the server took the others. */
  settle(isTaken: boolean): string | undefined {
    const trial = this.#trial;
    this.#trial = undefined;
    const left = trial?.groups[trial.next - 1] ?? [];
    if (!isTaken) for (const part of left) this.#unreadable.delete(part);
    if (!isTaken || trial === undefined) return undefined;
    return `${left[0]?.name ?? 'A picture'} is left out, since the server could not read it: ${trial.refusal}`;
  }

  #newestGroups(messages: readonly ModelMessage[]): readonly (readonly PicturePart[])[] {
    // What is shown may have another kind than what is kept.
    const newest = new Set(lastPictures(this.shown(messages)).map(({ data_base64 }) => data_base64));
    const parts = messages.flatMap(picturesOf);
    return [...newest].map((data) => parts.filter(({ data_base64 }) => data_base64 === data));
  }

  /**
   * A message of the person begins. True: pictures that were refused are sent again, since this message brings one or the
   * server says by now that the model sees.
   */
  async comesBack(model: string, messages: readonly ModelMessage[], signal: AbortSignal): Promise<boolean> {
    const last = messages.at(-1);
    if (!this.#isRefused || last?.role !== 'user' || isOfResults(last) || last === this.#askedAt) return false;
    this.#askedAt = last;
    if (!messages.some(hasPictures)) return false;
    if (!hasPictures(last)) {
      if (this.#isSaidInVain) return false;
      const described = await this.#provider.describe(model, signal);
      if (!described.ok || described.model.vision !== true) return false;
      this.#isSaidInVain = true;
    }
    this.#isRefused = false;
    return true;
  }

  /** A prompt with pictures was answered. */
  taken(messages: readonly ModelMessage[]): void {
    const isNoted = this.#isSaidInVain || this.#isTold;
    if (!isNoted || this.#isRefused || !this.shown(messages).some(hasPictures)) return;
    this.#isSaidInVain = false;
    this.#isTold = false;
  }

  /** Whether this refusal may be about the pictures of these messages: `surely`, by its words, about one of them, or perhaps. */
  doubts(messages: readonly ModelMessage[], error: ModelError): 'surely' | 'perhaps' | 'of_one' | 'no' {
    if (!this.shown(messages).some(hasPictures)) return 'no';
    if (error.reason === 'picture_unreadable') return 'of_one';
    if (error.reason === 'pictures_unsupported') return 'surely';
    return error.code === 'bad_request' || error.code === 'server_error' ? 'perhaps' : 'no';
  }

  leaveOut(isLeftOut: boolean): void {
    this.#isRefused = isLeftOut;
  }

  /** The sentence for the person; undefined where it was said already. */
  warning(messages: readonly ModelMessage[]): string | undefined {
    if (this.#isTold) return undefined;
    this.#isTold = true;
    const isOfPerson = messages.some((message) => hasPictures(message) && !isOfResults(message));
    return isOfPerson
      ? 'The server takes no pictures for this model now, so they are left out of the prompt, with a word in the place of each. They come back when it says that the model sees, with the next picture that you send, or with another model.'
      : 'The server takes no pictures here, so those of results are left out.';
  }
}
