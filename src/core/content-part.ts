/** `path`: its one name, relative to the workspace. `hash`: SHA-256 of what it held. */
export type KnownFile = { path: string; hash: string };

/** What a message of a person, and what a model reads of a result, may consist of. */
export type ContentPart =
  | {
      type: 'text';
      text: string;
      /** What a person sees instead: the name of a file or a command whose text came along. */
      shown?: string;
      /** It came from an MCP server or a page, named by the person but not written by them. */
      untrusted_content?: true;
      /** The file that it is the content of, as the conversation knows it from then on. */
      file?: KnownFile;
    }
  | {
      type: 'image';
      mime_type: string;
      data_base64: string;
      /** The name of its file, where it has one. */
      name?: string;
    };

/** What a tool shows the model in place of its data. */
export type ModelContent = string | ContentPart[];
