/** Folders of people, and questions that only the folder, or nobody, can answer. Names, dates and sums are random. */

/** Random values of a folder: each call gives another one. */
export type Draw = {
  person(): string;
  surname(): string;
  number(least: number, most: number): number;
  of<T>(...choices: readonly T[]): T;
};

/** What a right answer holds; nothing: the folder does not say, and only an honest no is right. */
export type Question = readonly [text: string, ...facts: (string | RegExp)[]];
export type Folder = { files: Record<string, string>; questions: readonly Question[] };
export type MakeFolder = (draw: Draw) => Folder;

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const date = (draw: Draw): string => `${draw.number(1, 28)} ${draw.of(...MONTHS)}`;

const shop: MakeFolder = (draw) => {
  const [lead, buyer, packer] = [draw.person(), draw.person(), draw.person()];
  const [met, ship] = [date(draw), date(draw)];
  const [port, shipping] = [draw.number(3000, 9000), draw.number(3, 12)];
  return {
    files: {
      'package.json': `{\n  "name": "kiosk",\n  "version": "1.${draw.number(0, 9)}.0",\n  "dependencies": { "express": "^4.19.2" }\n}\n`,
      'README.md': `# Kiosk\n\nA small web shop for stationery.\n\n## Contact\n\nWrite to hello@kiosk.example.\n`,
      'docs/notes.md': `# Notes\n\nMeeting ${met}: ${lead}, ${buyer}. Decision: ship on ${ship}.\n\n- ${packer} packs the parcels\n- ${buyer} buys the paper\n`,
      'config/shop.json': `{\n  "port": ${port},\n  "currency": "EUR",\n  "shippingFee": ${shipping}\n}\n`,
      'src/cart.js': `// adds up what is in the cart\nexport const total = (items) => items.reduce((sum, item) => sum + item.price, 0);\n`,
    },
    questions: [
      ['Who attended the meeting?', lead, buyer],
      ['What was decided?', ship],
      ['When do we ship?', ship],
      [`who is ${lead}?`, /notes\.md/],
      ['Who is the manager?'],
      ['What is our refund policy?'],
      ['What time is the standup?'],
      ['what port does the shop use?', String(port)],
      ['who packs the parcels', packer],
      ['What is the contact address?', 'hello@kiosk.example'],
      ['which node version is this', `${process.version}`],
      ['How much is the shippng fee?', String(shipping)],
      ['Which warehouse do we use?'],
    ],
  };
};

const club: MakeFolder = (draw) => {
  const [chair, treasurer] = [draw.person(), draw.person()];
  const [fee, hall] = [draw.number(20, 90), draw.of('Turnhalle Nord', 'Gemeindesaal', 'Vereinsheim')];
  const day = draw.of('Montag', 'Dienstag', 'Donnerstag');
  return {
    files: {
      'satzung.txt': `Satzung des Schachvereins\n\nDer Mitgliedsbeitrag beträgt ${fee} Euro im Jahr.\nDer Vorstand wird alle zwei Jahre gewählt.\n`,
      'vorstand.txt': `Vorsitzende: ${chair}\nKassenwart: ${treasurer}\n`,
      'termine.md': `# Termine\n\nTraining: jeden ${day} um 19 Uhr, ${hall}\n`,
    },
    questions: [
      ['Wer ist der Kassenwart?', treasurer],
      ['Wie hoch ist der Mitgliedsbeitrag?', String(fee)],
      ['Wann ist das Training?', day],
      ['wo findet das Training statt?', hall],
      ['Wer ist der Trainer der Jugend?'],
      ['Wie ist das Passwort für das WLAN?'],
      ['Who is the Kassenwart?', treasurer],
    ],
  };
};

const lab: MakeFolder = (draw) => {
  const [author, student] = [`${draw.person()} ${draw.surname()}`, draw.person()];
  const [samples, rate, deadline] = [draw.number(100, 900), draw.number(1, 9), date(draw)];
  return {
    files: {
      'paper/outline.md': `# Outline\n\nCorresponding author: ${author}\n\nWe measured ${samples} samples of river water.\n\n## Deadlines\n\n- abstract: ${deadline}\n`,
      'analysis/params.yaml': `model:\n  learning_rate: 0.00${rate}\n  epochs: ${draw.number(10, 90)}\nsensor:\n  vendor: Nortek\n`,
      'lab-log.txt': `${date(draw)}: ${student} calibrated the pH probe\n${date(draw)}: pump replaced\n`,
      'analysis/run.py': `import numpy\n\n\ndef fit(data):\n    return numpy.mean(data)\n`,
    },
    questions: [
      ['Who is the corresponding author?', author],
      ['how many samples did we measure?', String(samples)],
      ['What is the learning rate?', `0.00${rate}`],
      ['When is the abstract due?', deadline],
      ['Who calibrated the probe?', student],
      ['Who is our funding agency?'],
      ['Which vendor made the sensor?', 'Nortek'],
      ['What grade did the reviewers give?'],
    ],
  };
};

const handbook: MakeFolder = (draw) => {
  const [days, notice, limit] = [draw.number(24, 34), draw.number(2, 8), draw.number(20, 80)];
  const contact = draw.person();
  const minutes = draw.of(30, 45, 60);
  return {
    files: {
      'handbook/leave.md': `# Leave\n\n## Vacation\n\nEverybody has ${days} days of vacation a year.\n\n## Sick leave\n\nCall ${contact} before 9 am.\n`,
      'handbook/expenses.md': `# Expenses\n\nMeals are paid up to ${limit} euros a day. Receipts go to accounting.\n`,
      'handbook/notice.md': `# Notice period\n\nThe notice period is ${notice} weeks.\n`,
      'handbook/breaks.md': `# Breaks\n\nThe lunch break takes ${minutes} minutes.\n`,
    },
    questions: [
      ['How many days of vacation do I have?', String(days)],
      ['what is the notice period', String(notice)],
      ['Whom do I call when I am sick?', contact],
      ['How long is the lunch break?', String(minutes)],
      ['What is our policy on meals?', String(limit)],
      ['Do we have a parental leave policy?'],
      ['What is the dress code?'],
      ['who is the ceo'],
      ['How much do I earn?'],
    ],
  };
};

const restaurant: MakeFolder = (draw) => {
  const [cook, price] = [draw.person(), draw.number(6, 19)];
  const day = draw.of('lunes', 'martes', 'domingo');
  return {
    files: {
      'menu.txt': `Paella: ${price} euros\nGazpacho: ${draw.number(3, 6)} euros\n`,
      'equipo.txt': `Cocinera: ${cook}\n`,
      'horario.txt': `Cerrado los ${day}\n`,
    },
    questions: [
      ['¿Cuánto cuesta la paella?', String(price)],
      ['¿Quién es la cocinera?', cook],
      ['¿Cuál es la contraseña del banco?'],
      ['How much is the paella?', String(price)],
    ],
  };
};

// ---- the other half ----

const library: MakeFolder = (draw) => {
  const [chair, scribe, absent] = [draw.person(), draw.person(), draw.person()];
  const [next, release] = [date(draw), date(draw)];
  const retries = draw.number(2, 9);
  return {
    files: {
      'pyproject.toml': `[project]\nname = "ferry"\nversion = "0.${draw.number(1, 30)}.1"\nauthors = [{ name = "${chair}" }]\n`,
      'MINUTES.md': `# Minutes\n\n## Attendees\n\n${chair} (chair), ${scribe} (scribe)\n\nAbsent: ${absent}\n\n## Decisions\n\nWe drop support for Windows 7.\n\nNext meeting: ${next}\n`,
      'ROADMAP.md': `# Roadmap\n\n- 1.0 is released on ${release}\n- plugins come later\n`,
      'ferry/settings.py': `MAX_RETRIES = ${retries}\nTIMEOUT_SECONDS = 30\n`,
    },
    questions: [
      ['Who was absent?', absent],
      ['When is the next meeting?', next],
      ['who took part in the meeting as scribe?', scribe],
      ['What is the value of MAX_RETRIES?', String(retries)],
      ['when will 1.0 be released', release],
      ['What did we decide about Windows 7?', 'drop support'],
      ['Who pays for the servers?'],
      ['What is our code of conduct?'],
      ['which clients use this library?'],
    ],
  };
};

const clinic: MakeFolder = (draw) => {
  const [nurse, phone] = [draw.person(), `555-0${draw.number(100, 199)}`];
  const [size, opens] = [draw.number(5, 60), draw.number(7, 9)];
  return {
    files: {
      'deploy/app.ini': `[database]\nhost = db${draw.number(1, 9)}.clinic.example\npool_size = ${size}\n\n[mail]\nsender = desk@clinic.example\n`,
      'docs/hours.md': `# Opening hours\n\nThe clinic opens at ${opens} am on weekdays.\n\nHead nurse: ${nurse}, phone ${phone}\n`,
      'docs/visitors.md': `# Visitors\n\nVisitors wear a badge.\n`,
    },
    questions: [
      ['When does the clinic open?', `${opens} am`],
      ['What is the phone number of the head nurse?', phone],
      ['What is the pool size of the databse?', String(size)],
      [`Who's ${nurse}?`, 'nurse'],
      ['What do visitors have to wear?', 'badge'],
      ['Who is the surgeon on call?'],
      ['What is the price of an x-ray?'],
      ['When is the fire drill?'],
    ],
  };
};

const household: MakeFolder = (draw) => {
  const [landlord, rent] = [`${draw.person()} ${draw.surname()}`, draw.number(500, 1500)];
  const [plumber, birthday] = [draw.person(), date(draw)];
  return {
    files: {
      'lease.txt': `Landlord: ${landlord}\nThe rent is ${rent} euros, due on the 3rd of each month.\nPets are not allowed.\n`,
      'contacts.csv': `name,job,phone\n${plumber},plumber,555-0${draw.number(200, 299)}\n`,
      'family.md': `# Family\n\nMum's birthday is on ${birthday}.\n`,
    },
    questions: [
      ['How much is the rent?', String(rent)],
      ['Who is my landlrd?', landlord],
      ["when is mum's birthday", birthday],
      ['Are pets allowed?', 'not allowed'],
      ['Who is the plumber?', plumber],
      ["What is dad's birthday?"],
      ['Which insurance do I have?'],
      ['Where did I park the car?'],
    ],
  };
};

const escuela: MakeFolder = (draw) => {
  const [teacher, room] = [draw.person(), draw.number(100, 400)];
  const exam = `${draw.number(1, 28)} de mayo`;
  return {
    files: {
      'curso.md': `# Curso de historia\n\nProfesora: ${teacher}\nAula: ${room}\nExamen: ${exam}\n`,
      'notas.txt': `Los alumnos entregan el ensayo por correo.\n`,
    },
    questions: [
      ['¿Quién es la profesora?', teacher],
      ['¿Cuándo es el examen?', exam],
      ['¿Dónde está el director?'],
      ['Who is the teacher?'],
      ['In which Aula is the Curso?', String(room)],
    ],
  };
};

const werkstatt: MakeFolder = (draw) => {
  const [master, price, year] = [draw.person(), draw.number(40, 120), draw.number(1950, 1999)];
  return {
    files: {
      'preise.md': `# Preise\n\nÖlwechsel: ${price} Euro\nInspektion: ${price * 3} Euro\n`,
      'betrieb.md': `# Betrieb\n\nGegründet im Jahr ${year}.\nWerkstattleiter: ${master}\n`,
    },
    questions: [
      ['Was kostet der Ölwechsel?', String(price)],
      ['Wer ist der Werkstattleiter?', master],
      ['Wer ist der Lehrling?'],
      ['Wann macht ihr Urlaub?'],
      ['Tell me who the Werkstattleiter is', master],
      ['what is our discount for students'],
    ],
  };
};

/** The first half may be looked at while the steps are worked on; the second is only counted. */
export const FOLDERS = {
  tune: [shop, club, lab, handbook, restaurant],
  held: [library, clinic, household, escuela, werkstatt],
} as const satisfies Record<string, readonly MakeFolder[]>;
