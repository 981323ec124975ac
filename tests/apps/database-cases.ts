import type { Database } from '../../apps/inventory/dist/database/database.js';

/** What a database of the inventory does, whatever it keeps its data in: what a case is to come to, and how. */
export interface DatabaseCase {
  readonly expected: unknown;
  /** @param database an empty one. */
  run(database: Database): unknown;
}

const TABLES = `
  CREATE TABLE shelves (code TEXT PRIMARY KEY COLLATE NOCASE) STRICT;
  CREATE TABLE boxes (
    id INTEGER PRIMARY KEY,
    shelf TEXT REFERENCES shelves (code),
    grams INTEGER NOT NULL CHECK (grams > 0)
  ) STRICT;
`;

/** Runs in any program, so that each is the same for every database. */
export const DATABASE_CASES: Readonly<Record<string, DatabaseCase>> = {
  'finds rows by values of every kind, in their order': {
    expected: [
      [
        { id: 2, shelf: 'A', grams: 40 },
        { id: 1, shelf: null, grams: 5 },
      ],
      { id: 2 },
      [],
    ],
    run(database) {
      fill(database);
      return [
        database.all('SELECT * FROM boxes ORDER BY grams DESC'),
        database.first('SELECT id FROM boxes WHERE shelf = ? AND grams < ?', 'A', 41.5),
        database.all('SELECT id FROM boxes WHERE shelf = ?', "' OR 1 = 1 --"),
      ];
    },
  },
  'has no first row where there is none': {
    expected: true,
    run(database) {
      fill(database);
      return database.first('SELECT id FROM boxes WHERE id = ?', 3) === undefined;
    },
  },
  'keeps whole numbers whole': {
    expected: [{ grams: 35, kind: 'integer' }],
    run(database) {
      fill(database);
      database.run('UPDATE boxes SET grams = grams - ? WHERE id = ?', 5, 2);
      return database.all('SELECT grams, typeof(grams) AS kind FROM boxes WHERE id = 2');
    },
  },
  'returns what a transaction returns, with its changes': {
    expected: ['done', 3],
    run(database) {
      fill(database);
      const done = database.transaction(() => {
        database.run('INSERT INTO boxes VALUES (?, ?, ?)', 3, 'A', 7);
        return 'done';
      });
      return [done, countOf(database)];
    },
  },
  'undoes a transaction that throws, and throws the same': {
    expected: [true, 2],
    run(database) {
      fill(database);
      const reason = new Error('changed my mind');
      const thrown = thrownBy(() =>
        database.transaction(() => {
          database.run('DELETE FROM boxes');
          throw reason;
        }),
      );
      return [thrown === reason, countOf(database)];
    },
  },
  'refuses rows that break a constraint': {
    expected: [true, true, 2],
    run(database) {
      fill(database);
      return [
        /CHECK/.test(String(thrownBy(() => database.run('INSERT INTO boxes VALUES (?, ?, ?)', 3, 'A', 0)))),
        /UNIQUE/.test(String(thrownBy(() => database.run('INSERT INTO boxes VALUES (?, ?, ?)', 2, 'A', 1)))),
        countOf(database),
      ];
    },
  },
  'refuses rows that refer to what is not there': {
    expected: [true, 2],
    run(database) {
      fill(database);
      const thrown = thrownBy(() => database.run('INSERT INTO boxes VALUES (?, ?, ?)', 3, 'Z', 1));
      return [/FOREIGN KEY/.test(String(thrown)), countOf(database)];
    },
  },
};

function fill(database: Database): void {
  database.execute(TABLES);
  database.run('INSERT INTO shelves VALUES (?)', 'A');
  database.run('INSERT INTO boxes VALUES (?, ?, ?)', 1, null, 5);
  database.run('INSERT INTO boxes VALUES (?, ?, ?)', 2, 'A', 40);
}

function countOf(database: Database): number {
  return database.all('SELECT id FROM boxes').length;
}

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
