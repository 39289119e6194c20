/** The part of turndown that is used; the package brings no types. */
declare module 'turndown' {
  type Filter = string | readonly string[] | ((node: never, options: object) => boolean);
  type Rule = { filter: Filter; replacement(content: string, node: never, options: object): string };
  class TurndownService {
    constructor(options?: {
      headingStyle?: 'setext' | 'atx';
      hr?: string;
      bulletListMarker?: '-' | '+' | '*';
      codeBlockStyle?: 'indented' | 'fenced';
      emDelimiter?: '_' | '*';
    });
    addRule(name: string, rule: Rule): this;
    remove(filter: Filter): this;
    turndown(node: object): string;
  }
  export = TurndownService;
}
