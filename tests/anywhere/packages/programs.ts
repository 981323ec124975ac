/** A program whose tool uses a package. */
export interface PackageProgram {
  /** What it imports. */
  readonly imports: string;
  /** The body of the tool: it returns what JSON can carry. */
  readonly body: string;
  /** What the author has to do for it to run in a built file, as the program does. */
  readonly advice?: string;
}

/** Has a function talk to a server of the program's own. @param answer what the server answers. */
const served = (answer: string, use: string): string => `
  const server = createServer((_request, response) => response.setHeader('content-type', 'application/json').end(${answer}));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = 'http://127.0.0.1:' + server.address().port;
  try { ${use} } finally { server.close(); server.closeAllConnections(); }`;
const SERVER = "import { createServer } from 'node:http';";
const ECHO = `'{"said":"hello"}'`;

/** Popular packages, each with a program that uses it and needs no service. */
export const PROGRAMS: Readonly<Record<string, PackageProgram>> = {
  '@anthropic-ai/sdk': {
    imports: `${SERVER} import Anthropic from '@anthropic-ai/sdk';`,
    body: served(
      `'{"id":"m","type":"message","role":"assistant","content":[{"type":"text","text":"Hi"}]}'`,
      `const client = new Anthropic({ apiKey: 'k', baseURL: url });
       return (await client.messages.create({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] })).content;`,
    ),
  },
  '@aws-sdk/client-s3': {
    imports: `${SERVER} import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';`,
    body: served(
      "'<ListAllMyBucketsResult><Buckets><Bucket><Name>b</Name></Bucket></Buckets></ListAllMyBucketsResult>'",
      `const credentials = { accessKeyId: 'a', secretAccessKey: 's' };
       const client = new S3Client({ endpoint: url, region: 'eu-west-1', forcePathStyle: true, credentials });
       return (await client.send(new ListBucketsCommand({}))).Buckets;`,
    ),
  },
  ajv: {
    imports: "import { Ajv } from 'ajv';",
    body: "const check = new Ajv().compile({ type: 'object', properties: { a: { type: 'integer' } } }); return [check({ a: 1 }), check({ a: 'x' })];",
  },
  axios: {
    imports: `${SERVER} import axios from 'axios';`,
    body: served(ECHO, 'return (await axios.get(url)).data;'),
  },
  bcryptjs: {
    imports: "import bcrypt from 'bcryptjs';",
    body: "return [await bcrypt.compare('secret', await bcrypt.hash('secret', 4)), await bcrypt.compare('other', await bcrypt.hash('secret', 4))];",
  },
  // The addon is made by an install script, which this folder does not run.
  'better-sqlite3': {
    imports: "import Database from 'better-sqlite3';",
    body: "const error = new Database.SqliteError('busy', 'SQLITE_BUSY'); return [error.code, error.message];",
  },
  bullmq: {
    imports: "import { QueueKeys, Job, UnrecoverableError } from 'bullmq';",
    body: "return [new QueueKeys('app').toKey('mail', 'wait'), typeof Job.fromJSON, new UnrecoverableError('x').name];",
  },
  cheerio: {
    imports: "import { load } from 'cheerio';",
    body: "const $ = load('<ul><li>a</li><li class=\"b\">b</li></ul>'); return [$('li').length, $('.b').text()];",
  },
  'csv-parse': {
    imports: "import { parse } from 'csv-parse/sync';",
    body: "return parse('a,b\\n1,2\\n', { columns: true });",
  },
  'date-fns': {
    imports: "import { addDays, format } from 'date-fns'; import { de } from 'date-fns/locale';",
    body: "return format(addDays(new Date(2026, 0, 31), 1), 'd. MMMM yyyy', { locale: de });",
  },
  dayjs: {
    imports: "import dayjs from 'dayjs'; import utc from 'dayjs/plugin/utc.js';",
    body: "dayjs.extend(utc); return dayjs.utc('2026-01-31').add(1, 'month').format('YYYY-MM-DD');",
  },
  'drizzle-orm': {
    imports:
      "import { eq } from 'drizzle-orm'; import { drizzle } from 'drizzle-orm/node-postgres'; import { integer, pgTable, text } from 'drizzle-orm/pg-core';",
    body: `const users = pgTable('users', { id: integer().primaryKey(), name: text() });
      return drizzle.mock().select().from(users).where(eq(users.name, 'Ada')).toSQL();`,
  },
  ejs: {
    imports: "import ejs from 'ejs';",
    body: "return ejs.render('<% for (const n of names) { %><b><%= n %></b><% } %>', { names: ['a', '<'] });",
  },
  'express-session': {
    imports: "import session from 'express-session';",
    body: `const store = new session.MemoryStore();
      await new Promise((resolve) => store.set('s', { cookie: {}, user: 'ada' }, resolve));
      return (await new Promise((resolve) => store.get('s', (_error, found) => resolve(found)))).user;`,
  },
  got: {
    imports: `${SERVER} import got from 'got';`,
    body: served(ECHO, 'return await got(url).json();'),
  },
  graphql: {
    imports: "import { buildSchema, graphql } from 'graphql';",
    body: "return graphql({ schema: buildSchema('type Query { hello: String }'), source: '{ hello }', rootValue: { hello: () => 'world' } });",
  },
  handlebars: {
    imports: "import Handlebars from 'handlebars';",
    body: "return Handlebars.compile('{{#each names}}<b>{{this}}</b>{{/each}}')({ names: ['a', '<'] });",
  },
  i18next: {
    imports: "import i18next from 'i18next';",
    body: `await i18next.init({ lng: 'de', showSupportNotice: false, resources: { de: { translation: { hi: 'Hallo {{name}}' } } } });
      return i18next.t('hi', { name: 'Ada' });`,
  },
  ioredis: {
    imports: "import { Redis } from 'ioredis';",
    body: `const redis = new Redis({ lazyConnect: true });
      const command = redis.createBuiltinCommand('set');
      return [command.string !== undefined, redis.status, new Redis.Command('set', ['a', 1]).toWritable()];`,
  },
  joi: {
    imports: "import Joi from 'joi';",
    body: "return Joi.object({ mail: Joi.string().email() }).validate({ mail: 'x' }).error.message;",
  },
  jose: {
    imports: "import { jwtVerify, SignJWT } from 'jose';",
    body: `const key = new TextEncoder().encode('a secret of thirty-two characters');
      const token = await new SignJWT({ sub: 'ada' }).setProtectedHeader({ alg: 'HS256' }).sign(key);
      return (await jwtVerify(token, key)).payload;`,
  },
  jsonwebtoken: {
    imports: "import jwt from 'jsonwebtoken';",
    body: "return jwt.verify(jwt.sign({ sub: 'ada' }, 'secret', { noTimestamp: true }), 'secret');",
  },
  knex: {
    imports: "import knex from 'knex';",
    body: "return knex({ client: 'pg' })('users').where('name', 'Ada').orderBy('id').toSQL().toNative();",
  },
  kysely: {
    imports:
      "import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';",
    body: `const db = new Kysely({ dialect: { createAdapter: () => new PostgresAdapter(), createDriver: () => new DummyDriver(),
        createIntrospector: (of) => new PostgresIntrospector(of), createQueryCompiler: () => new PostgresQueryCompiler() } });
      const { sql, parameters } = db.selectFrom('users').selectAll().where('name', '=', 'Ada').compile();
      return { sql, parameters };`,
  },
  liquidjs: {
    imports: "import { Liquid } from 'liquidjs';",
    body: "return new Liquid().parseAndRender('{% for n in names %}<b>{{ n | escape }}</b>{% endfor %}', { names: ['a', '<'] });",
  },
  lodash: {
    imports: "import _ from 'lodash';",
    body: "return _.template('<%- n %>')({ n: _.kebabCase('fooBar') }) + JSON.stringify(_.groupBy([1.2, 1.4, 2], Math.floor));",
  },
  luxon: {
    imports: "import { DateTime } from 'luxon';",
    body: "return DateTime.fromISO('2026-01-31', { zone: 'Europe/Berlin' }).plus({ months: 1 }).toISO();",
  },
  marked: {
    imports: "import { marked } from 'marked';",
    body: "return marked.parse('# Hi\\n\\n- *a*');",
  },
  mongoose: {
    imports: "import mongoose from 'mongoose';",
    body: `const User = mongoose.model('User', new mongoose.Schema({ name: { type: String, required: true }, age: Number }));
      return [(await new User({}).validate().catch((error) => error)).message, new User({ name: 'Ada', age: '7' }).age, User.find({ age: { $gt: '3' } }).cast()];`,
  },
  mysql2: {
    imports: "import mysql from 'mysql2/promise';",
    body: "return mysql.format('SELECT * FROM ?? WHERE a = ?', ['t', \"x'y\"]);",
  },
  nanoid: { imports: "import { nanoid } from 'nanoid';", body: 'return nanoid().length;' },
  'node-fetch': {
    imports: `${SERVER} import fetch from 'node-fetch';`,
    body: served(ECHO, 'return (await fetch(url)).json();'),
  },
  nodemailer: {
    imports: "import nodemailer from 'nodemailer';",
    body: `const mail = { from: 'a@example.com', to: 'b@example.com', subject: 'Hi', text: 'Hello', date: new Date(0), messageId: 'x' };
      const sent = await nodemailer.createTransport({ streamTransport: true, buffer: true }).sendMail(mail);
      return String(sent.message);`,
  },
  openai: {
    imports: `${SERVER} import OpenAI from 'openai';`,
    body: served(
      `'{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"}}]}'`,
      `const client = new OpenAI({ apiKey: 'k', baseURL: url });
       return (await client.chat.completions.create({ model: 'm', messages: [] })).choices;`,
    ),
  },
  pg: {
    imports: "import pg from 'pg';",
    body: `const client = new pg.Client({ connectionString: 'postgres://ada:secret@db.example.com:5433/shop' });
      return [client.host, client.port, client.database, pg.escapeLiteral("it's"), pg.types.getTypeParser(23)('42')];`,
  },
  pino: {
    imports:
      "import { mkdtempSync, readFileSync, rmSync } from 'node:fs'; import { tmpdir } from 'node:os'; import { join } from 'node:path'; import pino from 'pino';",
    body: `const folder = mkdtempSync(join(tmpdir(), 'pino-'));
      const destination = join(folder, 'log');
      const transport = pino.transport({ target: 'pino/file', options: { destination } });
      await new Promise((resolve, reject) => transport.on('ready', resolve).on('error', reject));
      pino({ base: null, timestamp: false }, transport).info('hello');
      transport.end();
      await new Promise((resolve) => transport.on('close', resolve));
      try { return readFileSync(destination, 'utf8'); } finally { rmSync(folder, { recursive: true }); }`,
  },
  'pino-pretty': {
    imports: "import pretty from 'pino-pretty';",
    body: `return pretty.prettyFactory({ colorize: false, translateTime: false, ignore: 'time,pid,hostname' })({ level: 30, msg: 'hello', a: 1 });`,
  },
  'playwright-core': {
    imports: "import { chromium, devices, errors } from 'playwright-core';",
    body: `const error = await chromium.launch({ executablePath: '/nowhere' }).catch((thrown) => thrown);
      return [chromium.name(), devices['iPhone 13'].viewport, error instanceof errors.TimeoutError, /executable doesn't exist/.test(error.message)];`,
  },
  pug: {
    imports: "import pug from 'pug';",
    body: "return pug.render('ul\\n  each n in names\\n    li= n', { names: ['a', '<'] });",
  },
  redis: {
    imports: "import { createClient, defineScript } from 'redis';",
    body: `const client = createClient({ url: 'redis://:secret@db.example.com:6380/2' });
      return [client.options.socket.host, client.options.database, client.isOpen, typeof defineScript];`,
  },
  rxjs: {
    imports: "import { lastValueFrom, map, range, toArray } from 'rxjs';",
    body: 'return lastValueFrom(range(1, 3).pipe(map((n) => n * n), toArray()));',
  },
  sequelize: {
    // It requires the driver by a name that it computes.
    advice: 'set the driver: `dialectModule: pg`',
    imports: "import pg from 'pg'; import { DataTypes, Sequelize } from 'sequelize';",
    body: `const sequelize = new Sequelize('postgres://db.example.com/shop', { logging: false, dialectModule: pg });
      const User = sequelize.define('User', { name: DataTypes.STRING });
      return sequelize.getQueryInterface().queryGenerator.selectQuery('Users', { where: { name: 'Ada' } }, User);`,
  },
  sharp: {
    imports: "import sharp from 'sharp';",
    body: `const png = await sharp({ create: { width: 4, height: 2, channels: 3, background: 'red' } }).resize(2).png().toBuffer();
      const { width, height, format } = await sharp(png).metadata();
      return { width, height, format };`,
  },
  stripe: {
    imports: `${SERVER} import Stripe from 'stripe';`,
    body: served(
      `'{"id":"cus_1","object":"customer"}'`,
      `const { port } = server.address();
       return (await new Stripe('sk_test', { host: '127.0.0.1', port, protocol: 'http' }).customers.create({ name: 'Ada' })).id;`,
    ),
  },
  typeorm: {
    // It requires the driver by a name that it computes.
    advice: 'set the driver: `driver: pg`',
    imports: "import pg from 'pg'; import { DataSource, EntitySchema } from 'typeorm';",
    body: `const User = new EntitySchema({ name: 'User', columns: { id: { type: Number, primary: true }, name: { type: String } } });
      const source = new DataSource({ type: 'postgres', driver: pg, entities: [User] });
      await source.buildMetadatas();
      return source.createQueryBuilder(User, 'u').where('u.name = :name', { name: 'Ada' }).getQueryAndParameters();`,
  },
  undici: {
    imports: `${SERVER} import { request } from 'undici';`,
    body: served(ECHO, 'return (await request(url)).body.json();'),
  },
  uuid: {
    imports: "import { v4, v5, validate } from 'uuid';",
    body: "return [validate(v4()), v5('sigil', v5.DNS)];",
  },
  winston: {
    imports: "import winston from 'winston'; import { Writable } from 'node:stream';",
    body: `const lines = [];
      const stream = new Writable({ write: (chunk, _encoding, done) => (lines.push(String(chunk)), done()) });
      winston.createLogger({ transports: [new winston.transports.Stream({ stream })] }).info('hello', { a: 1 });
      await new Promise(setImmediate);
      return lines;`,
  },
  ws: {
    imports: "import { WebSocket, WebSocketServer } from 'ws';",
    body: `const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
      await new Promise((resolve) => server.on('listening', resolve));
      server.on('connection', (socket) => socket.on('message', (data) => socket.send('echo ' + data)));
      const client = new WebSocket('ws://127.0.0.1:' + server.address().port);
      client.on('open', () => client.send('hi'));
      const said = await new Promise((resolve) => client.on('message', (data) => resolve(String(data))));
      client.close();
      server.close();
      return said;`,
  },
  yaml: { imports: "import { parse } from 'yaml';", body: "return parse('a: [1, two]');" },
  zod: {
    imports: "import { z } from 'zod';",
    body: "return z.object({ a: z.coerce.number() }).safeParse({ a: 'x' }).error?.issues;",
  },
};
