import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SigilModule } from '@sigil/nest';
import { Shop } from './story.js';

@Module({
  imports: [SigilModule.forRoot({ name: 'story', version: '1.0.0' })],
  providers: [{ provide: Shop, useFactory: () => new Shop(250) }],
})
class AppModule {}

void NestFactory.create(AppModule, { logger: ['error'] }).then(async (nest) => {
  await nest.listen(0, '127.0.0.1');
  console.log(`${await nest.getUrl()}/mcp`);
});
