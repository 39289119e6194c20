/** Holds what MCP servers ask in a session, in its order, and carries the answer to the first one back. */
import type { ServerQuestion } from '../../core/server-question.ts';
import type { QuestionsHost } from './host.ts';
import { ServerPrompt } from './server-prompt.ts';
import { TypeAhead } from './type-ahead.ts';

export class ServerController {
  readonly #host: QuestionsHost;
  readonly #typeAhead: TypeAhead;
  #asked: ServerQuestion[] = [];
  #prompt: ServerPrompt | undefined;
  #isAnswering = false;

  constructor(host: QuestionsHost, typeAhead: TypeAhead = new TypeAhead(host)) {
    this.#host = host;
    this.#typeAhead = typeAhead;
  }

  get prompt(): ServerPrompt | undefined {
    return this.#prompt;
  }

  add(question: ServerQuestion): void {
    this.#asked.push(question);
    this.#show();
  }

  /** It is answered, here or on another surface; without an id, all are. */
  forget(id?: string): void {
    this.#asked = id === undefined ? [] : this.#asked.filter(({ question_id }) => question_id !== id);
    const shown = this.#prompt?.question.question_id;
    if (shown === undefined || this.#asked.some(({ question_id }) => question_id === shown)) return;
    this.#prompt = undefined;
    this.#isAnswering = false;
    this.#show();
  }

  #show(): void {
    const [asked] = this.#asked;
    if (asked && !this.#prompt) this.#prompt = new ServerPrompt(asked, this.#host.theme);
  }

  async key(data: string): Promise<void> {
    const prompt = this.#prompt;
    if (prompt === undefined) return;
    if (this.#isAnswering) this.#typeAhead.takesStray(data, prompt.meaningOf(data));
    else await this.#typeAhead.key(prompt, data, (key) => this.#take(prompt, key));
  }

  async #take(prompt: ServerPrompt, data: string): Promise<void> {
    // Another question may have come in its place.
    if (this.#prompt !== prompt || this.#isAnswering) return;
    const said = prompt.key(data, this.#host.now());
    if (said.type === 'print') this.#host.print([...said.lines, '']);
    if (said.type === 'stop') this.#host.cancel();
    if (said.type === 'answer') {
      this.#isAnswering = true;
      const { question_id } = prompt.question;
      const sent = await this.#host.session().send({ type: 'answer_server', question_id, ...said.answer });
      this.#isAnswering = false;
      if (!sent.ok) prompt.refuse(sent.message, this.#host.now());
      else if (said.open !== undefined) this.#host.open(said.open);
    }
    this.#host.armed();
  }
}
