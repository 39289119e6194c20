/** Small drawings in one stroke. They say nothing by themselves: a word or a label is always with them. */
const PATHS = {
  plus: 'M8 3v10M3 8h10',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM11 11l3 3',
  sidebar: 'M2.5 3h11v10h-11zM6.5 3v10',
  panel: 'M2.5 3h11v10h-11zM9.5 3v10',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
  send: 'M8 13V3M4 7l4-4 4 4',
  stop: 'M4.5 4.5h7v7h-7z',
  attach: 'M13 7.5 8 12.5a3 3 0 0 1-4.5-4L9 3a2 2 0 0 1 3 3L6.8 11a1 1 0 0 1-1.5-1.4L10 5',
  copy: 'M5.5 5.5h7v8h-7zM3.5 10.5v-8h7',
  check: 'M3 8.5 6.5 12 13 4.5',
  edit: 'M10.5 3 13 5.5 6 12.5l-3 .5.5-3z',
  again: 'M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3',
  left: 'M10 3 5 8l5 5',
  right: 'M6 3l5 5-5 5',
  down: 'M3 6l5 5 5-5',
  close: 'M4 4l8 8M12 4l-8 8',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5Z',
  auto: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 2v12',
  file: 'M4 2h5l3 3v9H4zM9 2v3h3',
  fork: 'M4 3v3c0 3 8 1 8 4v3M4 6v7M12 3v0',
  plug: 'M5.5 2v3M10.5 2v3M3.5 5h9v2.5a4.5 4.5 0 0 1-9 0zM8 12v2.5',
  phone: 'M4.5 1.5h7v13h-7zM7 12.5h2',
  download: 'M8 2.5v8M4.5 7 8 10.5 11.5 7M3 13.5h10',
  wrap: 'M2.5 4h11M2.5 8h9a2 2 0 0 1 0 4H8M9.5 10.5 8 12l1.5 1.5M2.5 12h2.5',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  diff: 'M8 2v7M4.5 5.5h7M4.5 12.5h7',
  gear: 'M2 4.5h7M13 4.5h1M2 11.5h1M7 11.5h7M9 2.5h4v4H9zM3 9.5h4v4H3z',
  microphone: 'M8 9.5a2 2 0 0 0 2-2v-4a2 2 0 0 0-4 0v4a2 2 0 0 0 2 2ZM3.5 7.5a4.5 4.5 0 0 0 9 0M8 12v2.5',
  undo: 'M3 6h6.5a3.5 3.5 0 0 1 0 7H6M3 6l3-3M3 6l3 3',
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg
    aria-hidden="true"
    width={size}
    height={size}
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.5"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={PATHS[name]} />
  </svg>
);
