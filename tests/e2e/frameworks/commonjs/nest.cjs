require('reflect-metadata');
const { Module } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { SigilModule } = require('@sigil/nest');
const { Greetings } = require('./greetings.cjs');

class AppModule {}
Module({
  imports: [SigilModule.forRoot({ name: 'greetings', version: '1.0.0' })],
  providers: [Greetings],
})(AppModule);

NestFactory.create(AppModule, { logger: ['error'] }).then(async (nest) => {
  nest.setGlobalPrefix('api');
  await nest.listen(0, '127.0.0.1');
  console.log(`${await nest.getUrl()}/api/mcp`);
});
