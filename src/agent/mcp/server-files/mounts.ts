/** Folders of the workspace that a container knows by another name: `-v ./srv:/app`, `--mount type=bind,src=.,dst=/app`. */

export type Mount = { source: string; target: string };

export const mountsIn = (args: readonly string[]): Mount[] =>
  args.flatMap((arg) => {
    const text = arg.replace(/^-(?:v|-volume=|-mount=)/, '');
    const fields = new Map(text.split(',').map((field) => [field.split('=')[0] ?? '', field.replace(/^[^=]*=/, '')]));
    const source = fields.get('source') ?? fields.get('src');
    const target = fields.get('destination') ?? fields.get('dst') ?? fields.get('target');
    if (source !== undefined && target !== undefined) return [{ source, target }];
    const [, from = '', to = ''] = /^([^:]+):(\/[^:]*)(?::[\w,]*)?$/.exec(text) ?? [];
    return to === '' ? [] : [{ source: from, target: to }];
  });

/** The words as they are called outside, where a container's name for them begins with a mounted folder. */
export const namedOutside = (words: readonly string[], mounts: readonly Mount[]): string[] =>
  words.flatMap((word) =>
    mounts.flatMap(({ source, target }) => {
      const folder = target.endsWith('/') ? target : `${target}/`;
      return word.startsWith(folder) ? [`${source}/${word.slice(folder.length)}`] : [];
    }),
  );
