/** The last item of a kind in a list that grows: what was looked through once is not looked through at each step again. */

type Looked<Item> = { count: number; last: Item | undefined; found: Item | undefined };

/** `before`: the item that stands before the one that is asked about. */
export const lastWhere = <Item extends object>(
  isWanted: (item: Item, before: Item | undefined) => boolean,
): ((list: readonly Item[]) => Item | undefined) => {
  const looked = new WeakMap<readonly Item[], Looked<Item>>();
  return (list) => {
    const known = looked.get(list);
    const isGrown = known !== undefined && known.count <= list.length && known.last === list[known.count - 1];
    const from = isGrown ? known.count : 0;
    let found = isGrown ? known.found : undefined;
    for (let place = list.length - 1; place >= from; place -= 1) {
      const item = list[place];
      if (item === undefined || !isWanted(item, list[place - 1])) continue;
      found = item;
      break;
    }
    looked.set(list, { count: list.length, last: list.at(-1), found });
    return found;
  };
};
