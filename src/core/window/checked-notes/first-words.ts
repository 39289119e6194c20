/** Words that a note may begin with though nobody said them: with its capital it may be a name that is made up. */

/** No name, or in small letters. */
export const isFirstWord = (note: string): boolean => {
  const [word] = /^\p{Lu}[\p{L}\p{M}]*/u.exec(note) ?? [];
  return word === undefined || KNOWN.has(word.toLowerCase());
};

const KNOWN = new Set(
  `a an the this that these those there it its he she they we i you my our your his her their all every each any some no none not never always only if when while after before until since for from with without in on at by to of as and or but both neither either one two three first second next then now later still also today tomorrow
  do add adjust allow apply ask avoid build bump call change check clean clear close collect compare complete compute confirm continue convert copy create cut debug decide define describe design document draft drop edit enable ensure explain export extend extract fill find finish fix follow format generate give handle hide implement import improve include increase inspect install integrate introduce investigate keep leave let limit link list load log look make measure migrate move name note open optimize parse pass plan polish prefer prepare print profile prove provide publish put raise read reduce refactor remember remove rename render repair replace report require resolve restore return review rewrite round run save search see send set show simplify skip sort speed split start stop store support switch tell test tidy translate try turn update upgrade use validate verify wait wire work write yes
  der die das den dem ein eine einen alle jede jeder kein keine nicht nie nur wenn nach vor bis für von mit ohne in im auf an am bei zu zum zur aus und oder aber beide noch dann jetzt es er sie wir ich ihr mein meine unser unsere
  le la les un une des du de tous toutes chaque aucun ne pas si quand après avant pour avec sans dans sur et ou mais il elle nous je mon ma mes notre ajouter corriger faire lire écrire vérifier utiliser créer garder mettre
  el los las una unos todo todos cada ningún si cuando después antes para con sin en y o pero él ella mi mis nuestro añadir corregir hacer leer escribir comprobar usar crear mantener
  o os as um uma não se quando depois antes para com sem em e mas ele ela meu minha adicionar corrigir fazer ler escrever verificar usar criar manter
  il lo gli uno ogni nessuno non quando dopo prima per con senza ma lui lei mio mia aggiungere correggere fare leggere scrivere verificare usare creare
  это все каждый не никогда если когда после до для с без в на и или но он она мой моя наш добавить исправить сделать прочитать написать проверить использовать создать`.split(
    /\s+/u,
  ),
);
