import MultipartEncoder

systemExit(await Command.main())
