/** Notes whose words stand all over a conversation: of a hut, a workshop, a clinic, a theatre and a settings file, in five languages. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { isKept, listed, type Notes, type Turn } from '../../../tests/support/noted-conversations.ts';

const CONVERSATIONS: readonly (readonly [what: string, turns: readonly Turn[], kept: Notes, dropped: Notes])[] = [
  [
    'a hut, in English',
    [
      'The hut opens on 12 June and has 24 beds.',
      ['A night costs 38 euros for members.', 'Should children pay the full price?'],
      'No, half.',
      'Oskar brings the bread on Tuesdays; Lena does the laundry.',
      ['The stove burns wood, not gas.', 'Shall I list the rooms by size?'],
      'By floor, please.',
      'Dogs are allowed in the winter room only.',
      ['The spring is tested twice a year.', 'Which colour for the sign: red or green?'],
      'Green.',
      'The generator has 14 kW and stands behind the shed.',
      'Never call the helicopter without me.',
      ['Write the page about the trail and check the booking form.', 'Is the page to be formal?'],
      'No, informal.',
      'The rescue frequency is 161.300; guests must not see it.',
    ],
    {
      facts: [
        'The hut opens on 12 June',
        'The hut has 24 beds',
        'A night costs 38 euros',
        'Oskar brings the bread',
        'Oskar brings bread on Tuesdays',
        'Lena does the laundry',
        'The stove burns wood',
        'The spring is tested twice a year',
        'The generator stands behind the shed',
        'The generator has 14 kW',
        'The rescue frequency is 161.300',
        'Guests must not see the rescue frequency',
      ],
      decisions: [
        'Rooms are listed by floor',
        'The sign is green',
        'Dogs are allowed in the winter room only',
        'The page is informal',
      ],
      open: ['write the page about the trail', 'check the booking form'],
    },
    {
      facts: [
        'The hut opens on 24 June',
        'The hut has 12 beds',
        'A night costs 14 euros',
        'The stove burns gas',
        'Lena brings the bread',
        'Oskar does the laundry',
        'The generator does not stand behind the shed',
        'The generator stands behind the stove',
        'The spring is tested every month',
        'The page about the trail was written',
        'The booking form was checked',
      ],
      decisions: [
        'Children pay the full price',
        'Rooms are listed by size',
        'The sign is red',
        'Dogs are not allowed in the winter room',
      ],
      open: ['Call the helicopter', 'Show the guests the rescue frequency', 'List the rooms by size'],
    },
  ],
  [
    'a workshop, in German',
    [
      'Die Werkstatt heißt Speiche und liegt in der Gartenstraße 8.',
      'Annika macht die Bremsen, Jonas die Schaltungen.',
      ['Eine Inspektion kostet 65 Euro.', 'Soll ich die Rechnungen per Post verschicken?'],
      'Nein, per E-Mail.',
      ['Wir reparieren keine E-Bikes.', 'Soll die Webseite schwarz oder weiß werden?'],
      'Weiß.',
      'Die Leihräder sind blau, die Kinderräder gelb.',
      'Mittwochs ist geschlossen.',
      'Der Kompressor ist leise und steht im Keller.',
      'Prüfe die Bestellung der Reifen und schreibe die Preisliste.',
      ['Der Schlüssel hängt bei Frau Özdemir.', 'Soll ich Jonas an den Termin erinnern?'],
      'Nein, er weiß es schon.',
    ],
    {
      facts: [
        'Annika macht die Bremsen',
        'Jonas macht die Schaltungen',
        'Eine Inspektion kostet 65 Euro',
        'Die Leihräder sind blau',
        'Die Kinderräder sind gelb',
        'Der Kompressor steht im Keller',
        'Der Kompressor ist leise',
        'Mittwochs ist geschlossen',
        'Werkstatt Speiche, Gartenstraße 8',
        'Der Schlüssel hängt bei Frau Özdemir',
      ],
      decisions: ['Rechnungen kommen per E-Mail', 'Die Webseite wird weiß'],
      open: ['Bestellung der Reifen prüfen', 'Preisliste schreiben'],
    },
    {
      facts: [
        'Jonas macht die Bremsen',
        'Annika macht die Schaltungen',
        'Eine Inspektion kostet 8 Euro',
        'Die Leihräder sind gelb',
        'Die Kinderräder sind blau',
        'Der Kompressor ist nicht leise',
        'Mittwochs ist geöffnet',
        'Wir reparieren E-Bikes',
        'Die Bestellung der Reifen wurde geprüft',
        'Die Preisliste wurde geschrieben',
        'Die Werkstatt liegt in der Gartenstraße 65',
        'Der Schlüssel hängt bei Annika',
      ],
      decisions: ['Rechnungen kommen per Post', 'Die Webseite wird schwarz'],
      open: ['Jonas an den Termin erinnern', 'Rechnungen per Post verschicken'],
    },
  ],
  [
    'a clinic, in Spanish',
    [
      'La clínica abre a las 9:15 y cierra los domingos.',
      'Kira es la gata de Marisol; Bruno es el perro de Tomás.',
      ['La vacuna cuesta 27 euros.', '¿Envío los avisos por carta?'],
      'No, por teléfono.',
      ['Kira es alérgica al pollo.', '¿Pongo el logo a la izquierda o a la derecha?'],
      'A la derecha.',
      'La nevera de las vacunas está en la sala 3 y no es nueva.',
      'Revisa la ficha de Bruno y escribe el cartel.',
      'El doctor Ibarra opera los jueves.',
      'No compres comida de pollo.',
    ],
    {
      facts: [
        'Kira es la gata de Marisol',
        'Bruno es el perro de Tomás',
        'La vacuna cuesta 27 euros',
        'La clínica cierra los domingos',
        'El doctor Ibarra opera los jueves',
        'Kira es alérgica al pollo',
        'La clínica abre a las 9:15',
      ],
      decisions: ['Los avisos van por teléfono', 'El logo va a la derecha', 'No se compra comida de pollo'],
      open: ['revisar la ficha de Bruno', 'escribir el cartel'],
    },
    {
      facts: [
        'Bruno es el perro de Marisol',
        'Kira es la gata de Tomás',
        'La vacuna cuesta 3 euros',
        'La clínica cierra los jueves',
        'El doctor Ibarra opera los domingos',
        'Bruno es alérgico al pollo',
        'La nevera es nueva',
        'La ficha de Bruno fue revisada',
      ],
      decisions: ['Los avisos van por carta', 'El logo va a la izquierda'],
      open: ['Comprar comida de pollo', 'Enviar los avisos por carta'],
    },
  ],
  [
    'a theatre, in French',
    [
      'La pièce dure 95 minutes, sans entracte.',
      'Camille joue la reine, Hugo le fou.',
      ['Le décor est gris.', 'Vend-on les billets à la caisse ?'],
      'Non, en ligne.',
      'La répétition est mardi à 19:30.',
    ],
    {
      facts: [
        'Camille joue la reine',
        'Hugo joue le fou',
        'La pièce dure 95 minutes',
        'La répétition est mardi à 19:30',
        'Le décor est gris',
      ],
      decisions: ['Les billets se vendent en ligne'],
    },
    {
      facts: ['Hugo joue la reine', 'Camille joue le fou', 'Le décor est bleu', 'La pièce dure 30 minutes'],
      decisions: ['Les billets se vendent à la caisse'],
    },
  ],
  [
    'a feast, in Japanese',
    [
      '田中さんは受付、鈴木さんは会計です。',
      '会場は公民館です。',
      ['入場料は800円です。', 'チラシは赤にしますか、青にしますか？'],
      '青で。',
    ],
    { facts: ['田中さんは受付です', '入場料は800円', '会場は公民館です'], decisions: ['チラシは青です'] },
    { facts: ['鈴木さんは受付です'], decisions: ['チラシは赤です'] },
  ],
  [
    'settings, in a file',
    [
      'Look at the settings.',
      { file: 'conf/app.toml', holds: 'port = 8080\nworkers = 4\ncache = "redis"\nqueue = "rabbit"' },
    ],
    { facts: ['conf/app.toml: port = 8080', 'There are 4 workers', 'the cache is redis', 'the queue is rabbit'] },
    { facts: ['the port is 4', 'workers = 8080', 'the cache is rabbit', 'the queue is redis'] },
  ],
];

describe.each(CONVERSATIONS)('of %s', (_what, turns, kept, dropped) => {
  it.each(listed(kept))('an honest note stays: %s, %s', (part, note) => {
    verifies('B7');
    expect(isKept(turns, part, note)).toBe(true);
  });

  it.each(listed(dropped))('a note that is not so goes: %s, %s', (part, note) => {
    verifies('B7');
    expect(isKept(turns, part, note)).toBe(false);
  });
});
