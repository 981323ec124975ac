import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { App } from '@sigil/core';
import { stdio } from '@sigil/stdio';
import { AppModule } from './app.module.js';

if (process.argv.includes('--stdio')) {
  // Standard output belongs to the protocol: nothing of Nest may be printed there.
  const nest = await NestFactory.createApplicationContext(AppModule, { logger: false });
  const { closed } = await nest.get(App).run(stdio());
  await closed;
  await nest.close();
} else {
  const nest = await NestFactory.create(AppModule);
  nest.setGlobalPrefix('api');
  nest.enableShutdownHooks();
  await nest.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1');
  console.log(`The bookshop listens on ${await nest.getUrl()}/api/mcp for MCP, and on /api/books for REST`);
}
