/** Numbers that are written as words: "two singles" is "2 singles", and is not "one single". */

/** Without one, and without those that are another word in another language (due, once, neuf, dos). */
const WORDS: readonly (readonly [number: number, words: string])[] = [
  [2, 'two|zwei|deux|duas|два|две|twee|dwa|dwie'],
  [3, 'three|drei|trois|tres|três|tre|три|drie|trzy'],
  [4, 'four|vier|quatre|cuatro|quatro|quattro|четыре|cztery'],
  [5, 'five|fünf|cinq|cinco|cinque|пять|vijf|pięć'],
  [6, 'six|sechs|seis|шесть|zes|sześć'],
  [7, 'seven|sieben|sept|siete|sete|sette|семь|zeven|siedem'],
  [8, 'eight|acht|huit|ocho|oito|otto|восемь|osiem'],
  [9, 'nine|neun|nueve|nove|девять|negen|dziewięć'],
  [10, 'ten|zehn|dix|diez|dez|dieci|десять|tien|dziesięć'],
  [11, 'eleven|onze|undici|одиннадцать'],
  [12, 'twelve|zwölf|douze|doze|dodici|двенадцать|twaalf|dwanaście'],
  [20, 'twenty|zwanzig|vingt|veinte|vinte|venti|двадцать'],
  [30, 'thirty|dreißig|trente|treinta|trinta|trenta|тридцать'],
];
const NUMBERS: ReadonlyMap<string, string> = new Map(
  WORDS.flatMap(([number, words]) => words.split('|').map((word): [string, string] => [word, String(number)])),
);
const SIGNS: ReadonlyMap<string, string> = new Map(
  [...'一二三四五六七八九'].map((sign, at): [string, string] => [sign, String(at + 1)]),
);

/** "two" as "2", and 二枚 as 2枚; a sign that stands beside another number sign is part of that. */
export const withDigits = (text: string): string =>
  text
    .replaceAll(WORD, (word) => NUMBERS.get(word.toLowerCase()) ?? word)
    .replaceAll(SIGN, (sign) => SIGNS.get(sign) ?? sign);
const WORD = /[\p{L}\p{M}]{2,12}/gu;
const SIGN =
  /(?<![一二三四五六七八九十百千万第周曜])[一二三四五六七八九](?=[枚人个個本台回日月年时時分つ件名只条張张歳岁番])/gu;
