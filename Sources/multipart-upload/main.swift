import MultipartEncoder
import MultipartTool

systemExit(await Command.main(Command.all))
