import { Module } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { APP_GUARD } from '@nestjs/core';
import { SigilModule } from '@sigil/nest';
import { BooksModule } from './books/books.module.js';
import { StaffGuard } from './staff.guard.js';
import { StaffLogin } from './staff-login.js';

/** The root module: the books, the login of the staff, and an MCP endpoint next to the REST routes. */
@Module({
  imports: [
    ConfigModule.forRoot({ isGlobal: true, ignoreEnvFile: true }),
    BooksModule,
    SigilModule.forRootAsync({
      inject: [ConfigService],
      useFactory: (config: ConfigService) => ({
        name: 'bookshop',
        version: '1.0.0',
        instructions: `The shelves of ${config.get('SHOP_NAME', 'Corner Books')}: search before you order.`,
      }),
    }),
  ],
  providers: [
    StaffLogin,
    // The first lets in, the second asks what a route or a tool is for.
    { provide: APP_GUARD, useExisting: StaffLogin },
    { provide: APP_GUARD, useClass: StaffGuard },
  ],
})
export class AppModule {}
